/* atf_record.h - what the files that write a recording share. */
#ifndef ATF_RECORD_H
#define ATF_RECORD_H

#include "base/out.h"
#include "record/record_output.h"
#include "record/recorder.h"

uint64_t atf_reasons_sum(const uint64_t reasons[RAS_RECORD_REASONS]);
/* Write the member "recorder" of the manifest. */
void atf_record_own(struct out *, const struct manifest_info *);
#endif
