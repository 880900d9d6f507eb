//! Read, check and compare execution traces.
//!
//! ```no_run
//! let trace = rastrum::Trace::open("run.murk")?;
//! let mut records = trace.records(&["command"])?;
//! while let Some(record) = records.next()? {
//!     println!("{:?} {:?}", record.tick(), record.value("payload_type"));
//! }
//! println!("{}", trace.ending());
//! # Ok::<(), rastrum::Error>(())
//! ```
//!
//! A trace that is cut is not an error: its records end, and `ending()` says where. Records and
//! values borrow from the cursor until its next step, which the compiler enforces. A trace belongs
//! to one thread.

use rastrum_sys as sys;
use std::ffi::{c_void, CStr, CString};
use std::fmt;
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// What the library refused: its status, its words, and the byte, where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    pub status: i32,
    pub offset: Option<u64>,
    text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

fn text_of(at: *const sys::c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(at as *const _) }.to_string_lossy().into_owned()
}

fn some(number: u64) -> Option<u64> {
    (number != sys::RAS_NONE).then_some(number)
}

/// The status of a call that is given the error.
fn checked(call: impl FnOnce(*mut sys::ras_error) -> sys::c_int) -> Result<sys::c_int> {
    let mut err = sys::ras_error { status: 0, os_errno: 0, offset: sys::RAS_NONE, about: 0, text: [0; 240], reserved: [0; 2] };
    let status = call(&mut err);
    if status >= 0 {
        return Ok(status);
    }
    Err(Error { status, offset: some(err.offset), text: text_of(err.text.as_ptr()) })
}

fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error { status: -6, offset: None, text: format!("{:?} has a NUL", text) })
}

/// How the bytes of a trace end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// "complete", "unsealed", "cut", "damaged"; "open": not read to the end yet.
    pub state: String,
    /// Every byte before this one was understood.
    pub offset: u64,
    pub why: String,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.state, self.offset)?;
        if self.why.is_empty() { Ok(()) } else { write!(f, ": {}", self.why) }
    }
}

/// An open trace. Bytes that it was opened from are borrowed.
pub struct Trace<'bytes> {
    raw: *mut sys::ras_trace,
    path: CString,
    bytes: PhantomData<&'bytes [u8]>,
}

impl Trace<'static> {
    /// A file, or the directory of a session or of segments.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = CString::new(path.as_ref().as_os_str().as_bytes())
            .map_err(|_| Error { status: -6, offset: None, text: "the path has a NUL".into() })?;
        let mut raw = ptr::null_mut();
        checked(|err| unsafe { sys::ras_open(&mut raw, path.as_ptr() as *const _, ptr::null(), err) })?;
        Ok(Trace { raw, path, bytes: PhantomData })
    }
}

impl<'bytes> Trace<'bytes> {
    pub fn from_bytes(bytes: &'bytes [u8]) -> Result<Self> {
        let mut raw = ptr::null_mut();
        checked(|err| unsafe {
            sys::ras_open_memory(&mut raw, bytes.as_ptr() as *const c_void, bytes.len(), ptr::null(), err)
        })?;
        Ok(Trace { raw, path: c_text("-")?, bytes: PhantomData })
    }

    pub fn format(&self) -> String {
        text_of(unsafe { (*sys::ras_format_of(self.raw)).name })
    }

    pub fn size_bytes(&self) -> u64 {
        unsafe { sys::ras_size(self.raw) }
    }

    /// Right once something has read the trace to its end.
    pub fn ending(&self) -> Ending {
        let raw = unsafe { sys::ras_ending(self.raw) };
        Ending {
            state: text_of(unsafe { sys::ras_ending_name(raw.kind) }),
            offset: raw.offset,
            why: text_of(raw.why),
        }
    }

    /// Records of these types, names or globs; none named: all, in stored order.
    pub fn records(&self, types: &[&str]) -> Result<Records<'_>> {
        let names = types.iter().map(|name| c_text(name)).collect::<Result<Vec<_>>>()?;
        let picks: Vec<_> = names
            .iter()
            .map(|name| sys::ras_pick {
                type_: name.as_ptr() as *const _,
                fields: ptr::null(),
                field_count: 0,
                schema: 0,
                reserved: [0; 2],
            })
            .collect();
        let mut scan: sys::ras_scan = unsafe { std::mem::zeroed() };
        scan.struct_size = std::mem::size_of::<sys::ras_scan>();
        scan.picks = picks.as_ptr();
        scan.pick_count = picks.len();
        let mut raw = ptr::null_mut();
        checked(|err| unsafe { sys::ras_cursor_open(&mut raw, self.raw, &scan, err) })?;
        Ok(Records { raw, trace: PhantomData })
    }

    /// What `rastrum info --json` prints.
    pub fn info_json(&self) -> Result<String> {
        let mut info = ptr::null_mut();
        checked(|err| unsafe { sys::ras_info(&mut info, self.raw, ptr::null(), ptr::null_mut(), err) })?;
        let found = document(|sink, err| unsafe {
            sys::ras_info_json(sink, self.path.as_ptr() as *const _, info, err)
        });
        unsafe { sys::ras_info_free(info) };
        found
    }

    /// What `rastrum verify --json` prints.
    pub fn verify_json(&self, deep: bool) -> Result<String> {
        let mut options: sys::ras_verify_options = unsafe { std::mem::zeroed() };
        options.struct_size = std::mem::size_of::<sys::ras_verify_options>();
        options.deep = deep;
        let mut report = ptr::null_mut();
        checked(|err| unsafe { sys::ras_verify(&mut report, self.raw, &options, err) })?;
        let found = document(|sink, err| unsafe {
            sys::ras_report_json(sink, self.path.as_ptr() as *const _, self.raw, report, false, err)
        });
        unsafe { sys::ras_report_free(report) };
        found
    }
}

impl Drop for Trace<'_> {
    fn drop(&mut self) {
        unsafe { sys::ras_close(self.raw) }
    }
}

/// What a function of the library writes as JSON.
fn document(
    write: impl FnOnce(*mut sys::ras_sink, *mut sys::ras_error) -> sys::c_int,
) -> Result<String> {
    let mut sink = ptr::null_mut();
    checked(|err| unsafe { sys::ras_sink_memory(&mut sink, err) })?;
    let found = checked(|err| write(sink, err)).map(|_| {
        let raw = unsafe { sys::ras_sink_bytes(sink) };
        let bytes = if raw.len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(raw.at, raw.len) } };
        String::from_utf8_lossy(bytes).into_owned()
    });
    unsafe { sys::ras_sink_drop(sink) };
    found
}

/// Two traces of one format, compared to the first divergence.
#[non_exhaustive]
pub struct Diff {
    pub differs: bool,
    /// False: one is cut or damaged, and only what is there was compared.
    pub complete: bool,
    /// Positions that were compared.
    pub checked: u64,
    /// What `rastrum diff --json` prints.
    pub json: String,
}

pub fn diff(expected: &Trace<'_>, actual: &Trace<'_>) -> Result<Diff> {
    let mut raw = ptr::null_mut();
    checked(|err| unsafe { sys::ras_diff(&mut raw, expected.raw, actual.raw, ptr::null(), err) })?;
    let json = document(|sink, err| unsafe { sys::ras_diff_json(sink, raw, ptr::null(), 0, err) });
    let found = unsafe { &*raw };
    let (differs, checked) = (found.divergence_count != 0, found.checked);
    let complete = found.endings.iter().all(|ending| ending.kind <= sys::RAS_COMPLETE);
    unsafe { sys::ras_diff_free(raw) };
    Ok(Diff { differs, complete, checked, json: json? })
}

/// A walk over records; `next()` lends one until the next call.
pub struct Records<'trace> {
    raw: *mut sys::ras_cursor,
    trace: PhantomData<&'trace Trace<'trace>>,
}

impl Records<'_> {
    /// The next record, or None at the end: ask the trace how it ends.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        let mut record = ptr::null();
        let status = checked(|err| unsafe { sys::ras_next(self.raw, &mut record, err) })?;
        Ok((status == sys::RAS_OK).then(|| Record {
            cursor: self.raw,
            raw: unsafe { &*record },
        }))
    }
}

impl Drop for Records<'_> {
    fn drop(&mut self) {
        unsafe { sys::ras_cursor_close(self.raw) }
    }
}

/// A record, until the next step of its walk.
pub struct Record<'walk> {
    cursor: *const sys::ras_cursor,
    raw: &'walk sys::ras_record,
}

impl<'walk> Record<'walk> {
    pub fn type_name(&self) -> String {
        text_of(unsafe { (*sys::ras_schema_of(self.cursor)).name })
    }

    /// None after a seek through a format's own index.
    pub fn seq(&self) -> Option<u64> {
        some(self.raw.seq)
    }

    pub fn tick(&self) -> Option<u64> {
        (self.raw.flags & sys::RAS_HAS_TICK != 0).then_some(self.raw.tick)
    }

    pub fn time_ns(&self) -> Option<u64> {
        (self.raw.flags & sys::RAS_HAS_TIME != 0).then_some(self.raw.time_ns)
    }

    pub fn stream(&self) -> u32 {
        self.raw.stream
    }

    pub fn offset(&self) -> u64 {
        self.raw.offset
    }

    /// A field by its name; None: its type has no such field.
    pub fn value(&self, field: &str) -> Option<Value<'walk>> {
        let name = c_text(field).ok()?;
        let cell = unsafe { sys::ras_value_of(self.cursor, name.as_ptr() as *const _) };
        (!cell.is_null()).then(|| unsafe { value_at(cell) }.0)
    }

    /// All values, in the order of the type's fields.
    pub fn values(&self) -> Vec<Value<'walk>> {
        let mut count = 0;
        let mut at = unsafe { sys::ras_values(self.cursor, &mut count) };
        let end = unsafe { at.add(count) };
        let mut found = Vec::new();
        while at < end {
            let (value, next) = unsafe { value_at(at) };
            found.push(value);
            at = next;
        }
        found
    }
}

/// A value of a record. Text that is not UTF-8 is Bytes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value<'walk> {
    Null,
    Bool(bool),
    Uint(u64),
    Int(i64),
    F32(f32),
    F64(f64),
    Str(&'walk str),
    Bytes(&'walk [u8]),
    List(Vec<Value<'walk>>),
    Map(Vec<(Value<'walk>, Value<'walk>)>),
}

impl Value<'_> {
    /// A whole number of either kind that fits.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Value::Uint(u) => Some(u),
            Value::Int(i) => u64::try_from(i).ok(),
            _ => None,
        }
    }
}

/// The value of a cell, and the cell after it and its content.
unsafe fn value_at<'walk>(at: *const sys::ras_value) -> (Value<'walk>, *const sys::ras_value) {
    let cell = &*at;
    let bytes = || {
        if cell.count == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(cell.cell.at as *const u8, cell.count as usize)
        }
    };
    let value = match cell.kind {
        sys::RAS_BOOL => Value::Bool(cell.cell.u != 0),
        sys::RAS_UINT => Value::Uint(cell.cell.u),
        sys::RAS_INT => Value::Int(cell.cell.i),
        sys::RAS_F32 => Value::F32(cell.cell.f32),
        sys::RAS_F64 => Value::F64(cell.cell.f64),
        sys::RAS_STR => std::str::from_utf8(bytes()).map_or(Value::Bytes(bytes()), Value::Str),
        sys::RAS_BLOB => Value::Bytes(bytes()),
        sys::RAS_LIST | sys::RAS_MAP => return inside(at),
        _ => Value::Null,
    };
    (value, at.add(1))
}

/// A list or a map.
unsafe fn inside<'walk>(at: *const sys::ras_value) -> (Value<'walk>, *const sys::ras_value) {
    let end = at.add(1 + (*at).count as usize);
    let mut items = Vec::new();
    let mut next = at.add(1);
    while next < end {
        let (value, after) = value_at(next);
        items.push(value);
        next = after;
    }
    if (*at).kind == sys::RAS_LIST {
        return (Value::List(items), end);
    }
    let mut pairs = Vec::new();
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    (Value::Map(pairs), end)
}

/// The version of the library, such as "1.0.0-rc1".
pub fn version() -> String {
    text_of(unsafe { sys::ras_version() })
}
