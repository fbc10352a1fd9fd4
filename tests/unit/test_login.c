/* Logging in over TLS: our client against our login service, on loopback. */
#include "base/clock.h"
#include "base/file.h"
#include "homestead/accounts.h"
#include "homestead/login.h"
#include "session/wire.h"
#include "world/session/login.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

typedef struct fixture {
    char folder[64], ca[128], cert[128], key[128], accounts_file[128], tokens[128];
    stn_accounts *accounts;
    stn_login_server *server;
} fixture;

static void begin(fixture *f, bool open_door)
{
    stn_err err = {0};
    stn_buf line = {0};
    stn_login_settings set;

    snprintf(f->folder, sizeof f->folder, "/tmp/stn-login-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->ca, sizeof f->ca, "%s/ca.pem", f->folder);
    snprintf(f->cert, sizeof f->cert, "%s/cert.pem", f->folder);
    snprintf(f->key, sizeof f->key, "%s/key.pem", f->folder);
    snprintf(f->accounts_file, sizeof f->accounts_file, "%s/accounts", f->folder);
    snprintf(f->tokens, sizeof f->tokens, "%s/tokens", f->folder);
    assert_int_equal(stn_accounts_line("anna", "correct horse", &line, &err), STN_OK);
    assert_int_equal(stn_file_write(f->accounts_file, line.data, line.len, 0600, false, &err), STN_OK);
    stn_buf_fini(&line);
    assert_int_equal(stn_accounts_open(open_door ? NULL : f->accounts_file, &f->accounts, &err), STN_OK);
    assert_int_equal(stn_login_make_certificate(f->folder, &err), STN_OK);
    set = (stn_login_settings){"127.0.0.1", 0, f->cert, f->key, f->accounts, 4242};
    assert_int_equal(stn_login_start(&set, &f->server, &err), STN_OK);
}

static void end(fixture *f)
{
    char command[96];

    stn_login_stop(f->server);
    stn_accounts_free(f->accounts);
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    assert_int_equal(system(command), 0);
}

static stn_login_request request_of(const fixture *f, const char *user, const char *password)
{
    return (stn_login_request){
        .host = "127.0.0.1",
        .port = stn_login_port(f->server),
        .ca = f->ca,
        .user = user,
        .password = (const uint8_t *)password,
        .password_len = password ? strlen(password) : 0,
        .timeout = 10.0,
    };
}

static void a_password_opens_the_game_in_both_dialects(void **state)
{
    fixture f;

    (void)state;
    begin(&f, false);
    for (int d = 0; d < 2; d++) {
        stn_login_request r = request_of(&f, "anna", "correct horse");
        stn_login_result out;
        stn_err err = {0};

        r.dialect = d ? STN_AUTH_POSITIONAL : STN_AUTH_KEYWORDED;
        r.want_alias = true;
        assert_int_equal(stn_login_run(&r, &out, &err), STN_OK);
        assert_string_equal(out.user, "anna");
        assert_string_equal(out.reached, "127.0.0.1");
        assert_int_equal(out.n_hosts, 1);
        assert_string_equal(out.hosts[0].host, "127.0.0.1");
        assert_int_equal(out.hosts[0].port, 4242);
        assert_int_equal(stn_accounts_admit(f.accounts, "anna", out.cookie, sizeof out.cookie), STN_SESS_OK);
        assert_int_equal(stn_accounts_admit(f.accounts, "bert", out.cookie, sizeof out.cookie),
                         STN_SESS_BAD_COOKIE);
    }
    end(&f);
}

static void a_wrong_password_or_name_is_refused_in_the_services_words(void **state)
{
    static const char *const users[] = {"anna", "nobody"};
    fixture f;

    (void)state;
    begin(&f, false);
    for (int i = 0; i < 2; i++) {
        stn_login_request r = request_of(&f, users[i], "wrong horse");
        stn_login_result out;
        stn_err err = {0};

        assert_int_equal(stn_login_run(&r, &out, &err), STN_DENIED);
        assert_string_equal(err.text, "Username or password incorrect");
    }
    end(&f);
}

static void a_token_is_kept_used_and_forgotten_when_refused(void **state)
{
    fixture f;
    stn_login_request r;
    stn_login_result out;
    stn_err err = {0};
    uint8_t token[STN_AUTH_TOKEN];
    struct stat st;
    char path[256];

    (void)state;
    begin(&f, false);
    r = request_of(&f, "anna", "correct horse");
    r.token_folder = f.tokens;
    r.remember = true;
    assert_int_equal(stn_login_run(&r, &out, &err), STN_OK);
    assert_false(out.by_token);
    snprintf(path, sizeof path, "%s/anna@127.0.0.1", f.tokens);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);

    r.password = NULL;
    assert_int_equal(stn_login_run(&r, &out, &err), STN_OK);
    assert_true(out.by_token);

    memset(token, 7, sizeof token);
    assert_int_equal(stn_token_store(f.tokens, "anna", "127.0.0.1", token, &err), STN_OK);
    assert_int_equal(stn_login_run(&r, &out, &err), STN_DENIED);
    assert_int_equal(stn_token_load(f.tokens, "anna", "127.0.0.1", token, NULL), STN_NOT_FOUND);
    end(&f);
}

static void an_open_door_lets_everyone_in(void **state)
{
    fixture f;
    stn_login_request r;
    stn_login_result out;
    stn_err err = {0};

    (void)state;
    begin(&f, true);
    r = request_of(&f, "whoever", "");
    assert_int_equal(stn_login_run(&r, &out, &err), STN_OK);
    assert_string_equal(out.user, "whoever");
    end(&f);
}

/* An authority and a leaf with dates of our choosing, in days from now. */
static void make_chain(const fixture *f, long ca_from, long ca_to, long leaf_from, long leaf_to,
                       const char *names)
{
    EVP_PKEY *key[2] = {EVP_EC_gen("P-256"), EVP_EC_gen("P-256")};
    X509 *cert[2];
    FILE *file;

    for (int i = 0; i < 2; i++) {
        X509_NAME *name = X509_NAME_new();
        X509V3_CTX ctx;
        X509_EXTENSION *ext;

        cert[i] = X509_new();
        X509_set_version(cert[i], 2);
        ASN1_INTEGER_set(X509_get_serialNumber(cert[i]), i + 1);
        X509_gmtime_adj(X509_getm_notBefore(cert[i]), (i ? leaf_from : ca_from) * 86400);
        X509_gmtime_adj(X509_getm_notAfter(cert[i]), (i ? leaf_to : ca_to) * 86400);
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   (const unsigned char *)(i ? "leaf" : "authority"), -1, -1, 0);
        X509_set_subject_name(cert[i], name);
        X509_set_issuer_name(cert[i], X509_get_subject_name(cert[0]));
        X509_set_pubkey(cert[i], key[i]);
        X509V3_set_ctx(&ctx, cert[0], cert[i], NULL, NULL, 0);
        ext = X509V3_EXT_conf_nid(NULL, &ctx, i ? NID_subject_alt_name : NID_basic_constraints,
                                  i ? names : "critical,CA:TRUE");
        X509_add_ext(cert[i], ext, -1);
        X509_EXTENSION_free(ext);
        assert_true(X509_sign(cert[i], key[0], EVP_sha256()) > 0);
        X509_NAME_free(name);
    }
    file = fopen(f->ca, "w");
    PEM_write_X509(file, cert[0]);
    fclose(file);
    file = fopen(f->cert, "w");
    PEM_write_X509(file, cert[1]);
    fclose(file);
    file = fopen(f->key, "w");
    PEM_write_PrivateKey(file, key[1], NULL, NULL, 0, NULL, NULL);
    fclose(file);
    for (int i = 0; i < 2; i++) {
        X509_free(cert[i]);
        EVP_PKEY_free(key[i]);
    }
}

static stn_status with_chain(const char *host, long ca_from, long ca_to, long leaf_from, long leaf_to,
                             const char *names, stn_err *err)
{
    fixture f;
    stn_login_settings set;
    stn_login_request r;
    stn_login_result out;
    stn_status st;

    begin(&f, true);
    stn_login_stop(f.server);
    make_chain(&f, ca_from, ca_to, leaf_from, leaf_to, names);
    set = (stn_login_settings){"127.0.0.1", 0, f.cert, f.key, f.accounts, 4242};
    assert_int_equal(stn_login_start(&set, &f.server, err), STN_OK);
    r = request_of(&f, "demo", "");
    r.host = host;
    st = stn_login_run(&r, &out, err);
    end(&f);
    return st;
}

static void an_anchor_may_be_out_of_date_but_a_leaf_may_not(void **state)
{
    stn_err err = {0};

    (void)state;
    assert_int_equal(with_chain("127.0.0.1", -1000, -10, -5, 5, "IP:127.0.0.1", &err), STN_OK);
    assert_int_equal(with_chain("127.0.0.1", -1000, 1000, -5, -1, "IP:127.0.0.1", &err), STN_DENIED);
    assert_int_equal(with_chain("127.0.0.1", -1000, -10, 1, 5, "IP:127.0.0.1", &err), STN_DENIED);
}

static void the_certificate_must_name_the_host_exactly(void **state)
{
    stn_err err = {0};

    (void)state;
    assert_int_equal(with_chain("localhost", -5, 5, -5, 5, "DNS:localhost", &err), STN_OK);
    assert_int_equal(with_chain("localhost", -5, 5, -5, 5, "DNS:*,DNS:LOCALHOST,IP:127.0.0.1", &err),
                     STN_DENIED);
    assert_int_equal(with_chain("127.0.0.1", -5, 5, -5, 5, "DNS:127.0.0.1", &err), STN_DENIED);
    assert_non_null(strstr(err.text, "another host"));
}

static void another_authority_is_refused(void **state)
{
    fixture f, g;
    stn_login_request r;
    stn_login_result out;
    stn_err err = {0};

    (void)state;
    begin(&f, true);
    begin(&g, true);
    r = request_of(&f, "demo", "");
    r.ca = g.ca;
    assert_int_equal(stn_login_run(&r, &out, &err), STN_DENIED);
    assert_non_null(strstr(err.text, "authority"));
    r.ca = NULL;
    assert_int_equal(stn_login_run(&r, &out, &err), STN_USAGE);
    assert_non_null(strstr(err.text, "auth-ca"));
    end(&g);
    end(&f);
}

static void the_anchor_is_found_inside_a_jar(void **state)
{
    fixture f;
    char jar[128], *pem;
    stn_err err = {0};
    uint8_t *data;
    size_t len;
    zip_t *zip;

    (void)state;
    begin(&f, true);
    snprintf(jar, sizeof jar, "%s/client.jar", f.folder);
    assert_int_equal(stn_file_read(f.ca, 65536, &data, &len, &err), STN_OK);
    zip = zip_open(jar, ZIP_CREATE, NULL);
    assert_non_null(zip);
    zip_file_add(zip, "haven/Main.class", zip_source_buffer(zip, "x", 1, 0), 0);
    zip_file_add(zip, "haven/authsrv.crt", zip_source_buffer(zip, data, len, 0), 0);
    assert_int_equal(zip_close(zip), 0);
    assert_int_equal(stn_login_anchors(jar, &pem, &err), STN_OK);
    assert_string_equal(pem, (const char *)data);
    free(pem);
    free(data);
    assert_int_equal(stn_login_anchors(f.key, &pem, &err), STN_BAD_DATA);
    end(&f);
}

static void a_login_can_be_given_up(void **state)
{
    fixture f;
    stn_login_request r;
    stn_login_result out;
    stn_err err = {0};
    atomic_bool cancel = true;

    (void)state;
    begin(&f, true);
    r = request_of(&f, "demo", "");
    r.cancel = &cancel;
    assert_int_equal(stn_login_run(&r, &out, &err), STN_CANCELLED);
    end(&f);
}

static void a_request_without_sense_ends_the_conversation(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"", 0}, {"pw", 2}, {"pw*\0user\0\x01\x02", 11}, {"pw*\0phash\0\x02x\0", 13}, {"pwdata\0anna", 11}};
    stn_accounts *a;
    stn_err err = {0};

    (void)state;
    assert_int_equal(stn_accounts_open(NULL, &a, &err), STN_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        stn_login_talk talk = {0};
        stn_buf reply = {0};

        assert_int_equal(
            stn_login_answer(&talk, a, 1, (const uint8_t *)bad[i].bytes, bad[i].len, &reply, &err),
            STN_BAD_DATA);
        stn_buf_fini(&reply);
    }
    stn_accounts_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_password_opens_the_game_in_both_dialects),
        cmocka_unit_test(a_wrong_password_or_name_is_refused_in_the_services_words),
        cmocka_unit_test(a_token_is_kept_used_and_forgotten_when_refused),
        cmocka_unit_test(an_open_door_lets_everyone_in),
        cmocka_unit_test(an_anchor_may_be_out_of_date_but_a_leaf_may_not),
        cmocka_unit_test(the_certificate_must_name_the_host_exactly),
        cmocka_unit_test(another_authority_is_refused),
        cmocka_unit_test(the_anchor_is_found_inside_a_jar),
        cmocka_unit_test(a_login_can_be_given_up),
        cmocka_unit_test(a_request_without_sense_ends_the_conversation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
