/* run_corpus.c - the plain driver of a fuzz target: every file of the given folders once through its entry
 * point, so that what the fuzzer found stays a test in builds without it. Exits 1 when a folder is missing or
 * empty. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    unsigned long runs = 0;
    for (int i = 1; i < argc; i++) {
        char **names = vec_list(argv[i], "");
        for (char **n = names; *n; n++) {
            size_t len;
            uint8_t *data = vec_read(argv[i], *n, &len);
            if (data)
                LLVMFuzzerTestOneInput(data, len);
            free(data);
            runs++;
        }
        vec_list_free(names);
    }
    printf("%lu inputs\n", runs);
    return runs == 0;
}
