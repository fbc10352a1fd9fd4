/* pinned_ca.h - the game server's own certificate, which signs for every host under havenandhearth.com.
 *
 * Public data: CN=dolda2000.com, RSA-2048, valid 2018-03-20 to 2118-03-20, SHA-256 fingerprint
 * 6A4F6697958B9A4B462106E85171D1447D40D8732A933A69F32A17593002C147.
 * Source  docs/spec/resource-loading.md 5.6.
 */
#ifndef STN_LOADER_PINNED_CA_H
#define STN_LOADER_PINNED_CA_H

static const char stn_pinned_ca[] = "-----BEGIN CERTIFICATE-----\n"
                                    "MIIDoDCCAoigAwIBAgIJAI+UbBvj7yxFMA0GCSqGSIb3DQEBCwUAMGQxCzAJBgNV\n"
                                    "BAYTAlNFMRIwEAYDVQQHDAlTdG9ja2hvbG0xEjAQBgNVBAoMCURvbGRhMjAwMDEV\n"
                                    "MBMGA1UECwwMRG9sZGEyMDAwIENBMRYwFAYDVQQDDA1kb2xkYTIwMDAuY29tMCAX\n"
                                    "DTE4MDMyMDAyMzY1MVoYDzIxMTgwMzIwMDIzNjUxWjBkMQswCQYDVQQGEwJTRTES\n"
                                    "MBAGA1UEBwwJU3RvY2tob2xtMRIwEAYDVQQKDAlEb2xkYTIwMDAxFTATBgNVBAsM\n"
                                    "DERvbGRhMjAwMCBDQTEWMBQGA1UEAwwNZG9sZGEyMDAwLmNvbTCCASIwDQYJKoZI\n"
                                    "hvcNAQEBBQADggEPADCCAQoCggEBALcR58LSbDBt/BXxNPU2VuqnR5rxc7HmWRkX\n"
                                    "2DL2lGXobkv3ZeXNZNoCPIYRa5fbkGaq1YiF+iZeYE2W/r1tAHLvqbcmAsunbwPZ\n"
                                    "lppR1sQI6cVVqzmb5+xyTComtSeEDFGB6KRLwKAY+uQ5hdBfxXJbPGtcB5zKf0DM\n"
                                    "66o1O/1om7SS5aJdzOSAcFZ+xhgEu5u1MIrF5ml+9lrqgRlt/Nxi0YazsQU0QhFz\n"
                                    "zz0kjM9+v7LlG17mIES9cTXbGT2Bq2VSxEMpcisduYn0Y7x324SV2j7Q6jQU14W5\n"
                                    "/KpckJECrtK1axU3yCvhgkX4uceXMrG4JnUy6W8j/felYK7m/S0CAwEAAaNTMFEw\n"
                                    "HQYDVR0OBBYEFIiV6Te6GpzlIadP70f/vDfs3y7QMB8GA1UdIwQYMBaAFIiV6Te6\n"
                                    "GpzlIadP70f/vDfs3y7QMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQAD\n"
                                    "ggEBAHNyXuM4SBcpkNhWAdlQ3vilL83Hh7koOsUA7lstLKphzJdIzXdIPKd6KDod\n"
                                    "Ke6FiLPYS6AcV0bZgARAYqD3QCE+/55WBIAZACqj71S9Gh50q76pjh4X985HZRAI\n"
                                    "FvuiVIjtoGCWfTay7xmNSo1zmC4xwosYZAjTF7kaqB8hMosSgNlenb9E9eNR20rt\n"
                                    "iTiiKlK8YQeFLJZpWyAu+I/dutQLHMGULWIp3c6MuxKhrPM4TqzEvn1Yrxgx3Vsn\n"
                                    "WfJ4xWHVpiKuzaS3LXy9dJdvoajBxj3KKXMbAqxBE9AXIXW8FvrSnLfz35+FpjgF\n"
                                    "KegWmxtknxdlSjeGSRKuMpzUBs0=\n"
                                    "-----END CERTIFICATE-----\n";

#endif
