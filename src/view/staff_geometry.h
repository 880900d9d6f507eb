/* staff_geometry.h - where what is on a staff. web/staff.js has the same numbers under the same
 * names; a test compares them. All in pixels of a staff that is STAFF_WIDTH wide. */
#ifndef VIEW_STAFF_GEOMETRY_H
#define VIEW_STAFF_GEOMETRY_H

#define STAFF_WIDTH   1396.0
#define STAFF_NARROW  470.0 /* of a phone */
#define STAFF_LEFT    132.0 /* where the lines begin, after the names and the brace */
#define STAFF_RIGHT   20.0  /* from where they end to the edge */
#define STAFF_TOP     74.0  /* of the first line */
#define STAFF_GAP     62.0  /* between two lines */
#define STAFF_BELOW   74.0  /* the last line: for the bar of the whole run */
#define STAFF_RUN     44.0  /* where that bar is, below the last line */
#define STEM_LEAST    5.0
#define STEM_SLOPE    4.4 /* a doubling of activity */
#define STEM_MOST     26.0
#define VOICE_LEAST   5.0 /* of the second voice below the first */
#define VOICE_SPAN    19.0
#define NOTE_RX       4.8
#define NOTE_RY       3.5
#define HOLLOW_RX     4.6
#define HOLLOW_RY     3.3
#define NOTE_TILT     -18.0
#define RING_LEAST    15.0
#define REST_WIDTH    12.0
#define REST_HEIGHT   4.0
#define REST_BELOW    14.0 /* of the second voice */
#define BAR_EVERY     5    /* ticks, or a multiple of it */
#define BARS_MOST     14
#define DOTS_ABOVE    60  /* ticks in a window: dots in place of notes */
#define LINES_ABOVE   150 /* lines alone */
#define WINDOW_TICKS  30
#define WINDOW_NARROW 9
#define WINDOW_MOST   400
#endif
