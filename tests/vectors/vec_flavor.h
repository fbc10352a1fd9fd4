/* vec_flavor.h - the parts of vec-flavor that read resources. */
#ifndef STN_TESTS_VEC_FLAVOR_H
#define STN_TESTS_VEC_FLAVOR_H

#include "support/support.h"

void flavor_probabilities(const char *dir, vec_report *report); /* probability.json */
void flavor_ambient(const char *dir, vec_report *report); /* ambient.json */

#endif
