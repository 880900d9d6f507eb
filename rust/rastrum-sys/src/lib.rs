//! What `rastrum/rastrum.h` declares, as far as the crate `rastrum` needs it.
//!
//! Structures that the library only hands out are opaque, or end with the last member that is read;
//! those that are read or filled whole have the size that a C program prints: a test compares them.

#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::c_void;

pub type c_char = i8;
pub type c_int = i32;

pub const RAS_OK: c_int = 0;
pub const RAS_END: c_int = 1;
pub const RAS_WAIT: c_int = 2;
pub const RAS_NONE: u64 = u64::MAX;

pub const RAS_NULL: u8 = 0;
pub const RAS_BOOL: u8 = 1;
pub const RAS_UINT: u8 = 2;
pub const RAS_INT: u8 = 3;
pub const RAS_F32: u8 = 4;
pub const RAS_F64: u8 = 5;
pub const RAS_STR: u8 = 6;
pub const RAS_BLOB: u8 = 7;
pub const RAS_LIST: u8 = 8;
pub const RAS_MAP: u8 = 9;

pub const RAS_COMPLETE: c_int = 1;

pub const RAS_HAS_TIME: u16 = 1;
pub const RAS_HAS_TICK: u16 = 2;

#[repr(C)]
pub struct ras_trace {
    _private: [u8; 0],
}

#[repr(C)]
pub struct ras_cursor {
    _private: [u8; 0],
}

#[repr(C)]
pub struct ras_sink {
    _private: [u8; 0],
}

#[repr(C)]
pub struct ras_info {
    _private: [u8; 0],
}

#[repr(C)]
pub struct ras_report {
    _private: [u8; 0],
}

#[repr(C)]
pub struct ras_diff {
    pub checked: u64,
    pub divergences: *mut c_void,
    pub divergence_count: usize,
    pub tables: *const c_void,
    pub notes: *mut *mut c_char,
    pub note_count: usize,
    pub endings: [ras_ending; 2],
}

#[repr(C)]
pub struct ras_error {
    pub status: c_int,
    pub os_errno: c_int,
    pub offset: u64,
    pub about: c_int,
    pub text: [c_char; 240],
    pub reserved: [u64; 2],
}

#[repr(C)]
pub struct ras_ending {
    pub kind: c_int,
    pub part: u32,
    pub offset: u64,
    pub size: u64,
    pub why: *const c_char,
}

#[repr(C)]
pub struct ras_bytes {
    pub at: *const u8,
    pub len: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union ras_cell {
    pub u: u64,
    pub i: i64,
    pub f64: f64,
    pub f32: f32,
    pub at: *const c_void,
}

#[repr(C)]
pub struct ras_value {
    pub kind: u8,
    pub bits: u8,
    pub field: u16,
    pub count: u32,
    pub cell: ras_cell,
}

#[repr(C)]
pub struct ras_schema {
    pub name: *const c_char,
    pub fields: *const c_void,
    pub field_count: u16,
    pub flags: u16,
}

#[repr(C)]
pub struct ras_record {
    pub seq: u64,
    pub time_ns: u64,
    pub tick: u64,
    pub parent: u64,
    pub offset: u64,
    pub raw: *const u8,
    pub raw_len: u32,
    pub part: u32,
    pub flags: u16,
    pub schema: u16,
    pub stream: u32,
}

#[repr(C)]
pub struct ras_format_about {
    pub name: *const c_char,
    pub title: *const c_char,
    pub label: *const c_char,
}

#[repr(C)]
pub struct ras_pick {
    pub type_: *const c_char,
    pub fields: *const *const c_char,
    pub field_count: usize,
    pub schema: u32,
    pub reserved: [u64; 2],
}

#[repr(C)]
pub struct ras_scan {
    pub struct_size: usize,
    pub picks: *const ras_pick,
    pub pick_count: usize,
    pub axis: c_int,
    pub from: u64,
    pub to: u64,
    pub frames_only: bool,
    pub headers_only: bool,
    pub merged: bool,
    pub follow: bool,
    pub strict: bool,
    pub by_index: bool,
    pub choices: *const c_void,
    pub choice_count: usize,
    pub streams: *const u32,
    pub stream_count: usize,
}

#[repr(C)]
pub struct ras_verify_options {
    pub struct_size: usize,
    pub strict: bool,
    pub deep: bool,
    pub progress: *const c_void,
    pub user: *const c_void,
}

extern "C" {
    pub fn ras_version() -> *const c_char;
    pub fn ras_version_number() -> u32;
    pub fn ras_ending_name(kind: c_int) -> *const c_char;
    pub fn ras_open(
        out: *mut *mut ras_trace,
        path: *const c_char,
        options: *const c_void,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_open_memory(
        out: *mut *mut ras_trace,
        bytes: *const c_void,
        size: usize,
        options: *const c_void,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_close(trace: *mut ras_trace);
    pub fn ras_format_of(trace: *const ras_trace) -> *const ras_format_about;
    pub fn ras_size(trace: *const ras_trace) -> u64;
    pub fn ras_ending(trace: *const ras_trace) -> ras_ending;
    pub fn ras_cursor_open(
        out: *mut *mut ras_cursor,
        trace: *mut ras_trace,
        scan: *const ras_scan,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_cursor_close(cursor: *mut ras_cursor);
    pub fn ras_next(
        cursor: *mut ras_cursor,
        record: *mut *const ras_record,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_values(cursor: *const ras_cursor, count: *mut usize) -> *const ras_value;
    pub fn ras_value_of(cursor: *const ras_cursor, field: *const c_char) -> *const ras_value;
    pub fn ras_schema_of(cursor: *const ras_cursor) -> *const ras_schema;
    pub fn ras_info(
        out: *mut *mut ras_info,
        trace: *mut ras_trace,
        progress: *const c_void,
        user: *mut c_void,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_info_free(info: *mut ras_info);
    pub fn ras_info_json(
        sink: *mut ras_sink,
        path: *const c_char,
        info: *const ras_info,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_verify(
        out: *mut *mut ras_report,
        trace: *mut ras_trace,
        options: *const ras_verify_options,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_report_free(report: *mut ras_report);
    pub fn ras_report_json(
        sink: *mut ras_sink,
        path: *const c_char,
        trace: *const ras_trace,
        report: *const ras_report,
        strict: bool,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_diff(
        out: *mut *mut ras_diff,
        expected: *mut ras_trace,
        actual: *mut ras_trace,
        options: *const c_void,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_diff_free(diff: *mut ras_diff);
    pub fn ras_diff_json(
        sink: *mut ras_sink,
        diff: *const ras_diff,
        options: *const c_void,
        layout: c_int,
        err: *mut ras_error,
    ) -> c_int;
    pub fn ras_sink_memory(out: *mut *mut ras_sink, err: *mut ras_error) -> c_int;
    pub fn ras_sink_bytes(sink: *const ras_sink) -> ras_bytes;
    pub fn ras_sink_drop(sink: *mut ras_sink);
}
