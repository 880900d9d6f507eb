/* digits.h - decimal digits, two at a time: half the divisions; what a hexadecimal one is. */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The two digits of value, which is below 100. */
static inline void put_two_digits(void *at, unsigned value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    memcpy(at, pairs + (size_t)2 * value, 2);
}

/* 0 to 15, in either case; -1: no hexadecimal digit. */
static inline int hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}
#endif
