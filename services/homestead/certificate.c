/* The login service's own certificate: an authority made for one start, and a leaf for this machine. */
#include "homestead/login.h"

#include "base/file.h"
#include "base/hash.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DAYS_VALID 3650L

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *ext;
    bool ok;

    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    ok = ext && X509_add_ext(cert, ext, -1) == 1;
    X509_EXTENSION_free(ext);
    return ok;
}

/* A certificate over `key` named `cn`, signed with issuer_key; issuer NULL = itself. */
static X509 *make(EVP_PKEY *key, const char *cn, X509 *issuer, EVP_PKEY *issuer_key, const char *names)
{
    X509 *c = X509_new();
    X509_NAME *name = X509_NAME_new();
    bool ok =
        c && name && X509_set_version(c, 2) == 1 &&
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(c), stn_random_u64() >> 1) == 1 &&
        X509_gmtime_adj(X509_getm_notBefore(c), -86400L) &&
        X509_gmtime_adj(X509_getm_notAfter(c), DAYS_VALID * 86400L) &&
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)cn, -1, -1, 0) == 1 &&
        X509_set_subject_name(c, name) == 1 &&
        X509_set_issuer_name(c, issuer ? X509_get_subject_name(issuer) : name) == 1 &&
        X509_set_pubkey(c, key) == 1;

    if (ok && !issuer)
        ok = add_extension(c, c, NID_basic_constraints, "critical,CA:TRUE") &&
             add_extension(c, c, NID_key_usage, "critical,keyCertSign,cRLSign");
    if (ok && issuer)
        ok = add_extension(c, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
             add_extension(c, issuer, NID_subject_alt_name, names);
    ok = ok && X509_sign(c, issuer_key, EVP_sha256()) > 0;
    X509_NAME_free(name);
    if (!ok) {
        X509_free(c);
        return NULL;
    }
    return c;
}

static stn_status write_pem(const char *folder, const char *name, unsigned mode, X509 *cert, EVP_PKEY *key,
                            stn_err *err)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char path[4096], *data;
    long len;
    stn_status st;

    if (!bio || (cert && PEM_write_bio_X509(bio, cert) != 1) ||
        (key && PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) != 1)) {
        BIO_free(bio);
        return stn_fail(err, STN_NO_MEMORY, "certificate %s", name);
    }
    len = BIO_get_mem_data(bio, &data);
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        st = stn_fail(err, STN_TOO_BIG, "the path of %s is too long", name);
    else
        st = stn_file_write(path, data, (size_t)len, mode, false, err);
    if (key)
        OPENSSL_cleanse(data, (size_t)len);
    BIO_free(bio);
    return st;
}

stn_status stn_login_make_certificate(const char *folder, stn_err *err)
{
    EVP_PKEY *ca_key = EVP_EC_gen("P-256"), *key = EVP_EC_gen("P-256");
    X509 *ca = NULL, *leaf = NULL;
    char host[65] = "", names[256];
    stn_status st;

    if (gethostname(host, sizeof host - 1))
        host[0] = 0;
    for (const char *c = host; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.", *c))
            host[0] = 0; /* a name that cannot stand in the list below */
    snprintf(names, sizeof names, "DNS:localhost,IP:127.0.0.1,IP:::1%s%s", host[0] ? ",DNS:" : "", host);
    if (ca_key && key)
        ca = make(ca_key, "Stenness homestead authority", NULL, ca_key, NULL);
    if (ca)
        leaf = make(key, "Stenness homestead", ca, ca_key, names);
    if (!leaf)
        st = stn_fail(err, STN_IO, "OpenSSL does not make a certificate");
    else if ((st = stn_file_mkdirs(folder, 0700, err)) == STN_OK &&
             (st = write_pem(folder, "key.pem", 0600, NULL, key, err)) == STN_OK &&
             (st = write_pem(folder, "cert.pem", 0644, leaf, NULL, err)) == STN_OK)
        st = write_pem(folder, "ca.pem", 0644, ca, NULL, err);
    X509_free(leaf);
    X509_free(ca);
    EVP_PKEY_free(key);
    EVP_PKEY_free(ca_key);
    return st;
}
