/* aws.h - keys of S3 from the usual environment, and requests signed with them (Signature v4). */
#ifndef REMOTE_AWS_H
#define REMOTE_AWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aws_keys {
    char id[256], secret[256], token[4096]; /* id empty: none, requests are not signed */
    char region[64];
};

/* From the text of a credentials file: what the profile has and `keys` has not yet. */
void aws_keys_parse(struct aws_keys *, const char *text, size_t len, const char *profile);
/* From AWS_ACCESS_KEY_ID and the like, else from the credentials file of AWS_PROFILE. */
void aws_keys_get(struct aws_keys *);

/* A GET without a body. `path` and `query` are encoded as they are sent, the parameters of `query`
 * sorted; `seconds` is Unix time. */
struct aws_request {
    const char *host, *path, *query;
    int64_t seconds;
};
enum { AWS_HEADER_MOST = 5120 };
/* The headers of a signed request; the token's is empty without one. */
struct aws_headers {
    char date[64], hash[100], token[AWS_HEADER_MOST], authorization[768];
};
void aws_sign(const struct aws_keys *, const struct aws_request *, struct aws_headers *);
#endif
