/* http_cases.h - scripted server answers of the resource-loading figures, against a loopback server. */
#ifndef STN_TESTS_HTTP_CASES_H
#define STN_TESTS_HTTP_CASES_H

#include "support/support.h"

void vec_http_cases(const json_t *doc, vec_report *report);

#endif
