/* Keys: files, who is let in, and what is said to whom when somebody is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/bus_fixture.h"

#include "base/file.h"

#include <string.h>
#include <sys/stat.h>

static stn_loop *loop;
static stn_bus *server, *client;
static stn_conv *door, *wire;
static char keys_folder[200], allow[200];
static stn_keys server_keys, desk, stranger;
static stn_status st;
static stn_err err;
static int server_ups;
static char seen_id[STN_PEER_ID_MAX];

static void on_up(void *ctx, stn_peer *peer)
{
    (void)ctx;
    server_ups++;
    snprintf(seen_id, sizeof seen_id, "%s", stn_peer_id(peer));
    assert_true(stn_peer_is_remote(peer));
}

/* A door over CURVE on loopback, where "desk" is on the list. */
static int make(void **state)
{
    stn_bus_spec bus = {.kind = "world"};
    stn_conv_spec spec = {.name = "mesh", .up = on_up};
    (void)state;
    own_runtime_folder();
    snprintf(keys_folder, sizeof keys_folder, "%s/keys", getenv("XDG_RUNTIME_DIR"));
    snprintf(allow, sizeof allow, "%s/allow", getenv("XDG_RUNTIME_DIR"));
    assert_int_equal(stn_keys_generate("home", &server_keys, NULL), STN_OK);
    assert_int_equal(stn_keys_generate("desk", &desk, NULL), STN_OK);
    assert_int_equal(stn_keys_generate("stranger", &stranger, NULL), STN_OK);
    assert_int_equal(stn_loop_new(&loop, NULL), STN_OK);
    assert_int_equal(stn_bus_new(loop, &bus, &server, NULL), STN_OK);
    assert_int_equal(stn_bus_bind(server, &spec, &door, NULL), STN_OK);
    bus.kind = "mesher";
    assert_int_equal(stn_bus_new(loop, &bus, &client, NULL), STN_OK);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    stn_bus_free(client);
    stn_bus_free(server);
    stn_loop_free(loop);
    remove_runtime_folder();
    return 0;
}

static void put_on_the_list(const stn_keys *k)
{
    char path[300], text[300];
    assert_int_equal(stn_file_mkdirs(allow, 0700, NULL), STN_OK);
    snprintf(path, sizeof path, "%s/%s.pub", allow, k->name);
    snprintf(text, sizeof text, "metadata\n    name = \"%s\"\ncurve\n    public-key = \"%s\"\n", k->name,
             k->public_key);
    assert_int_equal(stn_file_write(path, text, strlen(text), 0644, false, NULL), STN_OK);
}

static void key_files_are_made_read_and_guarded(void **state)
{
    char path[300];
    stn_keys got;
    struct stat s;
    (void)state;
    assert_int_equal(stn_keys_save(&desk, keys_folder, NULL), STN_OK);
    assert_int_equal(stn_keys_save(&desk, keys_folder, &err), STN_BUSY);
    snprintf(path, sizeof path, "%s/desk.pub_secret", keys_folder);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(stn_keys_load(path, &got, NULL), STN_OK);
    assert_memory_equal(&got, &desk, sizeof got);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(stn_keys_load(path, &got, &err), STN_DENIED);
    assert_string_equal(got.secret_key, "");
    assert_int_equal(chmod(path, 0600), 0);
    snprintf(path, sizeof path, "%s/desk.pub", keys_folder);
    assert_int_equal(stn_keys_load(path, &got, NULL), STN_OK);
    assert_string_equal(got.public_key, desk.public_key);
    assert_string_equal(got.secret_key, "");
}

/* As zcert_save() of czmq writes it. */
static void file_of_czmq_is_read(void **state)
{
    static const char text[] = "#   ****  Generated on 2024-01-01 00:00:00 by CZMQ  ****\n"
                               "#   ZeroMQ CURVE Public Certificate\n\n"
                               "metadata\n    email = \"a@b\"\n"
                               "curve\n    public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n";
    stn_keys got;
    (void)state;
    assert_int_equal(stn_keys_parse(text, sizeof text - 1, "laptop.txt", &got, NULL), STN_OK);
    assert_string_equal(got.name, "laptop");
    assert_string_equal(got.public_key, "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7");
}

static void broken_key_files_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "curve\n",
        "curve\n    public-key = \"short\"\n",
        "curve\n    public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\n",
        "metadata\n    public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n",
        "curve\n    public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf~\"\n",
        "metadata\n    name = \"a b\"\ncurve\n    public-key = "
        "\"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n",
        "curve\n    public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n    secret-key = "
        "\"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n",
    };
    stn_keys got;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(stn_keys_parse(bad[i], strlen(bad[i]), "name", &got, &err), STN_BAD_DATA);
        assert_string_equal(got.public_key, "");
    }
}

static void list_is_read_again_each_time(void **state)
{
    char name[STN_KEY_NAME], path[300];
    (void)state;
    assert_false(stn_keys_allowed(allow, stranger.public_key, name)); /* no folder */
    put_on_the_list(&desk);
    assert_false(stn_keys_allowed(allow, stranger.public_key, name));
    assert_true(stn_keys_allowed(allow, desk.public_key, name));
    assert_string_equal(name, "desk");
    put_on_the_list(&stranger);
    assert_true(stn_keys_allowed(allow, stranger.public_key, name));
    snprintf(path, sizeof path, "%s/stranger.pub", allow);
    unlink(path);
    assert_false(stn_keys_allowed(allow, stranger.public_key, name));
}

static void door_opens_for_other_machines_only_with_keys_and_a_list(void **state)
{
    (void)state;
    assert_int_equal(stn_conv_bind_also(door, "tcp://0.0.0.0:*", NULL, NULL, &err), STN_DENIED);
    assert_int_equal(stn_conv_bind_also(door, "tcp://127.0.0.1:*", &server_keys, NULL, &err), STN_USAGE);
    st = stn_conv_bind_also(door, "tcp://127.0.0.1:*", &server_keys, allow, &err);
    if (st != STN_OK)
        fail_msg("%s", err.text);
    assert_non_null(stn_conv_endpoint(door, 1));
    assert_null(strstr(stn_conv_endpoint(door, 1), "*"));
}

static void attach(const stn_keys *keys, const char *server_key)
{
    stn_conv_spec spec = {
        .name = "mesh", .endpoint = stn_conv_endpoint(door, 1), .keys = keys, .server_key = server_key};
    stn_conv_free(wire);
    wire = NULL;
    st = stn_bus_connect(client, &spec, &wire, &err);
    if (st != STN_OK)
        fail_msg("%s", err.text);
}

static void wrong_server_key_is_told_on_both_sides(void **state)
{
    (void)state;
    attach(&desk, stranger.public_key);
    /* On a busy machine a connection can end before its address was read: a later attempt tells it. */
    UNTIL(loop, strstr(stn_conv_diagnosis(door), "does not know our key") != NULL &&
                    strstr(stn_conv_diagnosis(door), "peer at 127.0.0.1:") != NULL);
    UNTIL(loop,
          strcmp(stn_conv_diagnosis(wire), "the server refused the handshake: check --server-key") == 0);
}

static void key_that_is_not_listed_is_told_and_works_once_it_is(void **state)
{
    char path[300];
    (void)state;
    attach(&stranger, server_keys.public_key);
    UNTIL(loop, strstr(stn_conv_diagnosis(door), "is not on the list") != NULL);
    assert_non_null(strstr(stn_conv_diagnosis(door), "peer at 127.0.0.1"));
    assert_non_null(strstr(stn_conv_diagnosis(door), stranger.public_key));
    UNTIL(loop, strstr(stn_conv_diagnosis(wire), "does not have our key on its list") != NULL);
    put_on_the_list(&stranger);
    UNTIL(loop, stn_conv_peer(wire) != NULL); /* nothing was restarted */
    assert_string_equal(seen_id, "mesher.0@stranger");
    snprintf(path, sizeof path, "%s/stranger.pub", allow);
    unlink(path);
}

static void plain_client_is_told_on_both_sides(void **state)
{
    (void)state;
    attach(NULL, NULL);
    UNTIL(loop, strstr(stn_conv_diagnosis(door), "uses no keys") != NULL);
    UNTIL(loop, strstr(stn_conv_diagnosis(wire), "wants keys") != NULL);
}

static void endpoint_without_keys_is_told_to_a_client_with_keys(void **state)
{
    (void)state;

    stn_conv_spec spec = {.name = "mesh",
                          .endpoint = stn_conv_endpoint(door, 0),
                          .keys = &desk,
                          .server_key = server_keys.public_key};
    stn_conv_free(wire);
    assert_int_equal(stn_bus_connect(client, &spec, &wire, NULL), STN_OK);
    UNTIL(loop, strstr(stn_conv_diagnosis(wire), "takes no keys") != NULL);
}

static void right_key_works_afterwards_without_a_restart(void **state)
{
    int before = server_ups;
    (void)state;
    attach(&desk, server_keys.public_key);
    UNTIL(loop, stn_conv_peer(wire) != NULL && server_ups == before + 1);
    assert_string_equal(seen_id, "mesher.0@desk");
    assert_string_equal(stn_conv_diagnosis(wire), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_files_are_made_read_and_guarded),
        cmocka_unit_test(file_of_czmq_is_read),
        cmocka_unit_test(broken_key_files_are_refused),
        cmocka_unit_test(list_is_read_again_each_time),
        /* from here on one server runs through, as it must */
        cmocka_unit_test(door_opens_for_other_machines_only_with_keys_and_a_list),
        cmocka_unit_test(wrong_server_key_is_told_on_both_sides),
        cmocka_unit_test(key_that_is_not_listed_is_told_and_works_once_it_is),
        cmocka_unit_test(plain_client_is_told_on_both_sides),
        cmocka_unit_test(endpoint_without_keys_is_told_to_a_client_with_keys),
        cmocka_unit_test(right_key_works_afterwards_without_a_restart),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
