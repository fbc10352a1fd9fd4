#include "client/res/res_cmd.h"

#include "base/file.h"
#include "base/text.h"
#include "client/res/res_cache.h"
#include "client/res/res_folder.h"
#include "client/res/res_loader.h"
#include "client/res/res_natives.h"
#include "client/res/res_pack.h"
#include "client/res/res_preview.h"
#include "client/res/res_show.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const char help[] =
    "usage: stenness res COMMAND …\n"
    "\n"
    "Looks into, takes apart, makes and checks resource files (.res).\n"
    "\n"
    "  list FILE…                      one line a layer\n"
    "  show FILE [LAYER…] [--json]     all that layers hold; LAYER is a number or a type\n"
    "  extract FILE [DIR] [--force]    into a folder of texts, pictures, sounds and OBJ meshes (DIR: FILE "
    "without .res)\n"
    "  build DIR [FILE] [--strict]     a resource from such a folder (FILE: DIR.res)\n"
    "  check FILE…                     every problem, with layer and offset\n"
    "  pack DIR ARCHIVE [--prefix P]   all .res files below DIR into a .jar or .zip\n"
    "  unpack ARCHIVE [DIR] [--prefix P] [--all]\n"
    "  preview FILE OUT.png [--size WxH] [--state HEX] [--turn DEGREES] [--seconds S] [--root DIR]\n"
    "                                  the model, or the picture, as it looks\n"
    "  natives [--seen PLACE [--prefix P]]   the served code that this client has of its own; PLACE is a "
    "folder or an archive of resources that may have newer\n"
    "\n"
    "looks into the disk cache (--cache DIR; shared = that of an installed Java client):\n"
    "\n"
    "  cache list [--identity T] [--json]   every resource kept: bytes, last read, identity, name\n"
    "  cache size                      entries and bytes by identity\n"
    "  cache verify [--identity T]     reads and decodes every entry, and says what is wrong\n"
    "  cache purge CHOICE…             removes entries; CHOICE is --all, --identity T, --older DAYS, --bad;\n"
    "                                  of several all must hold\n"
    "\n"
    "and asks the loader of a running instance (--instance NAME):\n"
    "\n"
    "  why NAME [VERSION]              what each source answers for a name, and which one counts\n"
    "  reload NAME                     reads a loaded resource again; everybody who shows it is told\n"
    "  cache memory                    what it holds decoded: name, version, source, bytes, holders\n"
    "  cache drop NAME                 out of its disk cache, so that NAME is fetched anew\n"
    "  cache forget [NAME]             lets it try again what it remembers as failed\n"
    "\n"
    "FILE may be - for standard input. Extract and build change no byte. More: man stenness-res\n";

typedef struct options {
    bool json, force, strict, all, bad;
    const char *prefix, *instance, *seen, *cache, *identity;
    int64_t older_days; /* -1 = not given */
    stn_rv_options preview;
    char **operands;
    int count;
} options;

static int usage(const char *what)
{
    fprintf(stderr, "stenness res: %s\nTry: stenness res --help\n", what);
    return EX_USAGE;
}

static int failed(const stn_err *err)
{
    fprintf(stderr, "stenness res: %s\n", err->text);
    return EXIT_FAILURE;
}

static stn_status read_stdin(uint8_t **data, size_t *len, stn_err *err)
{
    stn_buf b = {.max = stn_res_default_limits.max_input};
    uint8_t chunk[65536];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, stdin)) > 0)
        stn_buf_put(&b, chunk, n);
    if (b.failed) {
        stn_buf_fini(&b);
        return stn_fail(err, STN_TOO_BIG, "standard input is over %zu bytes",
                        stn_res_default_limits.max_input);
    }
    *data = stn_buf_take(&b, len);
    if (!*data) { /* nothing came: an empty file, said by whoever reads it */
        *len = 0;
        *data = malloc(1);
    }
    return *data ? STN_OK : stn_fail(err, STN_NO_MEMORY, "standard input");
}

static stn_status read_input(const char *file, uint8_t **data, size_t *len, stn_err *err)
{
    return strcmp(file, "-") == 0 ? read_stdin(data, len, err)
                                  : stn_file_read(file, stn_res_default_limits.max_input, data, len, err);
}

static stn_status load(const char *file, stn_res **res, stn_err *err)
{
    uint8_t *data = NULL;
    size_t len = 0;
    stn_status st = read_input(file, &data, &len, err);
    *res = NULL;
    if (st == STN_OK && (st = stn_res_new(data, len, NULL, res, NULL, err)) != STN_OK)
        stn_fail_in(err, st, "%s", file);
    free(data);
    return st;
}

/* The last part of a path without ".res": how links to the file itself are shown. */
static void name_of(const char *file, char out[256])
{
    const char *slash = strrchr(file, '/');
    snprintf(out, 256, "%s", slash ? slash + 1 : file);
    if (stn_text_ends(out, ".res"))
        out[strlen(out) - 4] = 0;
}

static int cmd_list(const options *o)
{
    int rc = EXIT_SUCCESS;
    if (o->count < 1)
        return usage("list needs a file");
    for (int i = 0; i < o->count; i++) {
        stn_res *res;
        stn_err err = {0};
        if (load(o->operands[i], &res, &err) != STN_OK) {
            rc = failed(&err);
            continue;
        }
        printf("%s: version %u, %u layers\n", o->operands[i], stn_res_version(res), stn_res_count(res));
        stn_rs_list(stdout, res);
        stn_res_free(res);
    }
    return rc;
}

static int cmd_show(const options *o)
{
    stn_res *res;
    stn_err err = {0};
    char name[256];
    if (o->count < 1)
        return usage("show needs a file");
    if (load(o->operands[0], &res, &err) != STN_OK)
        return failed(&err);
    name_of(o->operands[0], name);
    bool all = stn_rs_show(stdout, res, name, o->operands + 1, o->count - 1, o->json);
    stn_res_free(res);
    return all ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int cmd_extract(const options *o)
{
    uint8_t *data = NULL;
    size_t len = 0;
    stn_err err = {0};
    char name[256];
    unsigned raw = 0;

    if (o->count < 1 || o->count > 2)
        return usage("extract needs a file and at most one folder");
    if (o->count == 1 && strcmp(o->operands[0], "-") == 0)
        return usage("extract from standard input needs the name of a folder");
    name_of(o->operands[0], name);
    const char *dir = o->count == 2 ? o->operands[1] : name;
    if (o->count == 1 && !stn_text_ends(o->operands[0], ".res"))
        return usage("the file does not end in .res: name the folder as well");
    stn_status st = read_input(o->operands[0], &data, &len, &err);
    if (st == STN_OK && (st = stn_rf_extract(data, len, dir, o->force, &raw, &err)) != STN_OK &&
        st != STN_USAGE)
        stn_fail_in(&err, st, "%s", o->operands[0]);
    free(data);
    if (st != STN_OK)
        return failed(&err);
    if (raw)
        fprintf(stderr, "stenness res: %u layers of known type are kept as .bin: resource.json says why\n",
                raw);
    printf("%s\n", dir);
    return EXIT_SUCCESS;
}

/* The text names layer and offset. */
static void tell_fault(void *user, const stn_res_fault *fault, const char *type, const stn_err *err)
{
    (void)type;
    printf("%s: %s: %s\n", (const char *)user, stn_res_fault_name(fault->kind), err->text);
}

static const stn_res_opts full_check = {
    .want_version = STN_RES_ANY_VERSION, .pixels = STN_RES_DECODE, .borrow = true};

/* Textures are decoded on use only, so they are tried apart. */
static size_t check_textures(const char *file, const uint8_t *data, size_t len)
{
    stn_res *res = NULL;
    const stn_res_layer *l = NULL;
    size_t faults = 0;

    if (stn_res_new(data, len, &full_check, &res, NULL, NULL) != STN_OK)
        return 0;
    while ((l = stn_res_next(res, STN_LAYER_TEX, l)) != NULL) {
        const stn_res_tex *t = l->as.tex;
        stn_res_fault_kind kind = STN_FAULT_NONE;
        stn_err err = {0};
        size_t bytes = stn_mip_bytes(t->mipmap, t->w, t->h);
        uint8_t *out = bytes <= stn_res_default_limits.max_pixels * 6 ? malloc(bytes + 1) : NULL;
        if (!out)
            stn_fail(&err, STN_NO_MEMORY, "texture of %ux%u", t->w, t->h);
        else if (stn_res_tex_pixels(t, NULL, out, bytes, &kind, &err) == STN_OK)
            err.code = STN_OK;
        free(out);
        if (err.code == STN_OK)
            continue;
        printf("%s: %s: layer \"tex\" (record %u at %zu): %s\n", file, stn_res_fault_name(kind), l->index,
               l->offset, err.text);
        faults++;
    }
    stn_res_free(res);
    return faults;
}

static int cmd_check(const options *o)
{
    int rc = EXIT_SUCCESS;
    if (o->count < 1)
        return usage("check needs a file");
    for (int i = 0; i < o->count; i++) {
        uint8_t *data = NULL;
        size_t len = 0, faults;
        stn_err err = {0};
        if (read_input(o->operands[i], &data, &len, &err) != STN_OK) {
            rc = failed(&err);
            continue;
        }
        faults = stn_res_check(data, len, &full_check, tell_fault, o->operands[i]);
        faults += check_textures(o->operands[i], data, len);
        if (faults)
            rc = EXIT_FAILURE;
        else
            printf("%s: fine\n", o->operands[i]);
        free(data);
    }
    return rc;
}

static void warn_fault(void *user, const stn_res_fault *fault, const char *type, const stn_err *err)
{
    (void)type;
    fprintf(stderr, "stenness res: %s: %s: %s\n", (const char *)user, stn_res_fault_name(fault->kind),
            err->text);
}

static int cmd_build(const options *o)
{
    stn_buf b = {0};
    stn_err err = {0};
    char file[4096];
    int rc = EXIT_SUCCESS;

    if (o->count < 1 || o->count > 2)
        return usage("build needs a folder and at most one file");
    size_t n = strlen(o->operands[0]);
    while (n > 1 && o->operands[0][n - 1] == '/')
        n--;
    snprintf(file, sizeof file, "%.*s.res", (int)n, o->operands[0]);
    const char *to = o->count == 2 ? o->operands[1] : file;
    if (stn_rf_build(o->operands[0], &b, &err) != STN_OK) {
        rc = failed(&err);
    } else if (stn_res_check(b.data, b.len, &full_check, warn_fault, (void *)(uintptr_t)to) && o->strict) {
        fprintf(stderr, "stenness res: %s is not written: it has faults\n", to);
        rc = EXIT_FAILURE;
    } else if (strcmp(to, "-") == 0) {
        if (fwrite(b.data, 1, b.len, stdout) != b.len || fflush(stdout) != 0)
            rc = failed(&(stn_err){STN_IO, "standard output cannot be written"});
    } else if (stn_file_write(to, b.data, b.len, 0666, false, &err) != STN_OK) {
        rc = failed(&err);
    } else {
        printf("%s\n", to);
    }
    stn_buf_fini(&b);
    return rc;
}

static int cmd_pack(const options *o)
{
    stn_rp_count count;
    stn_err err = {0};
    if (o->count != 2)
        return usage("pack needs a folder and an archive");
    if (stn_rp_pack(o->operands[0], o->operands[1], o->prefix ? o->prefix : "", &count, &err) != STN_OK)
        return failed(&err);
    printf("%s: %u resources\n", o->operands[1], count.files);
    return count.refused ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int cmd_unpack(const options *o)
{
    stn_rp_count count;
    stn_err err = {0};
    if (o->count < 1 || o->count > 2)
        return usage("unpack needs an archive and at most one folder");
    const char *dir = o->count == 2 ? o->operands[1] : ".";
    if (stn_rp_unpack(o->operands[0], dir, o->prefix ? o->prefix : "", o->all, &count, &err) != STN_OK)
        return failed(&err);
    printf("%s: %u files\n", dir, count.files);
    return count.refused ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int cmd_why(const options *o)
{
    int64_t version = -1;
    if (o->count < 1 || o->count > 2 ||
        (o->count == 2 && !stn_text_i64(o->operands[1], -1, UINT16_MAX, &version)))
        return usage("why needs a name, and perhaps a version of 0 to 65535");
    return stn_rl_why(o->instance, o->operands[0], (int)version);
}

static int cmd_reload(const options *o)
{
    return o->count == 1 ? stn_rl_reload(o->instance, o->operands[0]) : usage("reload needs one name");
}

static int cmd_cache(const options *o)
{
    const char *what = o->count ? o->operands[0] : "list";
    const stn_rc_choice choice = {.folder = o->cache,
                                  .identity = o->identity,
                                  .older_days = o->older_days,
                                  .bad = o->bad,
                                  .json = o->json};
    if (strcmp(what, "list") == 0 && o->count <= 1)
        return stn_rc_list(&choice);
    if (strcmp(what, "size") == 0 && o->count == 1)
        return stn_rc_size(&choice);
    if (strcmp(what, "verify") == 0 && o->count == 1)
        return stn_rc_verify(&choice);
    if (strcmp(what, "purge") == 0 && o->count == 1) {
        bool narrowed = o->identity || o->older_days >= 0 || o->bad;
        if (!narrowed && !o->all)
            return usage("cache purge needs --all, --identity, --older or --bad");
        if (narrowed && o->all)
            return usage("cache purge --all leaves nothing to choose");
        return stn_rc_purge(&choice);
    }
    if (strcmp(what, "memory") == 0 && o->count == 1)
        return stn_rl_words(o->instance, "cached", NULL);
    if (strcmp(what, "drop") == 0 && o->count == 2)
        return stn_rl_words(o->instance, "drop", o->operands[1]);
    if (strcmp(what, "forget") == 0 && o->count <= 2)
        return stn_rl_words(o->instance, "forget", o->count == 2 ? o->operands[1] : NULL);
    return usage("cache takes: list, size, verify, purge, memory, drop NAME, forget [NAME]");
}

static void look(void *user, const char *name, const uint8_t *data, size_t len)
{
    stn_rn_look(user, name, data, len);
}

static int cmd_natives(const options *o)
{
    stn_rn_seen seen;
    stn_err err = {0};

    if (o->count > 0)
        return usage("natives takes no file: --seen FOLDER or ARCHIVE");
    if (!o->seen) {
        stn_rn_print(stdout, NULL);
        return EXIT_SUCCESS;
    }
    stn_rn_seen_init(&seen);
    if (stn_rp_each(o->seen, o->prefix ? o->prefix : "", look, &seen, &err) != STN_OK)
        return failed(&err);
    return stn_rn_print(stdout, &seen) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int cmd_preview(const options *o)
{
    stn_err err = {0};
    stn_status st;

    if (o->count != 2)
        return usage("preview needs a file and the PNG to write");
    st = stn_rv_preview(o->operands[0], o->operands[1], &o->preview, &err);
    return st == STN_OK ? EXIT_SUCCESS : st == STN_USAGE ? usage(err.text) : failed(&err);
}

static const struct {
    const char *name;
    int (*run)(const options *o);
} commands[] = {
    {"list", cmd_list},     {"show", cmd_show},   {"extract", cmd_extract}, {"build", cmd_build},
    {"check", cmd_check},   {"pack", cmd_pack},   {"unpack", cmd_unpack},   {"why", cmd_why},
    {"reload", cmd_reload}, {"cache", cmd_cache}, {"natives", cmd_natives}, {"preview", cmd_preview},
};

int cmd_res(int argc, char **argv)
{
    static const struct option longs[] = {
        {"json", no_argument, NULL, 'j'},          {"force", no_argument, NULL, 'f'},
        {"strict", no_argument, NULL, 's'},        {"all", no_argument, NULL, 'a'},
        {"prefix", required_argument, NULL, 'p'},  {"instance", required_argument, NULL, 'i'},
        {"seen", required_argument, NULL, 'S'},    {"size", required_argument, NULL, 'z'},
        {"state", required_argument, NULL, 't'},   {"turn", required_argument, NULL, 'T'},
        {"seconds", required_argument, NULL, 'n'}, {"root", required_argument, NULL, 'r'},
        {"cache", required_argument, NULL, 'c'},   {"identity", required_argument, NULL, 'I'},
        {"older", required_argument, NULL, 'o'},   {"bad", no_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},          {0}};
    options o = {.older_days = -1};
    char text[160];

    if (argc < 2)
        return usage("a command is missing");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        fputs(help, stdout);
        return EXIT_SUCCESS;
    }
    optind = 0; /* the caller may have parsed before */
    opterr = 0;
    for (int c; (c = getopt_long(argc - 1, argv + 1, "h", longs, NULL)) != -1;) {
        if (c == 'j')
            o.json = true;
        else if (c == 'f')
            o.force = true;
        else if (c == 's')
            o.strict = true;
        else if (c == 'a')
            o.all = true;
        else if (c == 'p')
            o.prefix = optarg;
        else if (c == 'i')
            o.instance = optarg;
        else if (c == 'S')
            o.seen = optarg;
        else if (c == 'z')
            o.preview.size = optarg;
        else if (c == 't')
            o.preview.state = optarg;
        else if (c == 'T')
            o.preview.turn = optarg;
        else if (c == 'n')
            o.preview.seconds = optarg;
        else if (c == 'r')
            o.preview.root = optarg;
        else if (c == 'c')
            o.cache = optarg;
        else if (c == 'I')
            o.identity = optarg;
        else if (c == 'b')
            o.bad = true;
        else if (c == 'o' && !stn_text_i64(optarg, 0, 36500, &o.older_days))
            return usage("--older takes a number of days");
        else if (c == 'o')
            continue;
        else if (c == 'h') {
            fputs(help, stdout);
            return EXIT_SUCCESS;
        } else {
            snprintf(text, sizeof text, "\"%.60s\" is no option here, or lacks its value", argv[optind]);
            return usage(text);
        }
    }
    o.operands = argv + 1 + optind;
    o.count = argc - 1 - optind;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, argv[1]) == 0)
            return commands[i].run(&o);
    snprintf(text, sizeof text, "\"%.40s\" is no command", argv[1]);
    return usage(text);
}
