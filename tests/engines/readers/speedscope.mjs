// speedscope.mjs - hold files to speedscope's JSON schema, then add up what their profiles say.
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import { run } from './lib.mjs';

const SCHEMA = new URL('../node_modules/speedscope/dist/release/file-format-schema.json',
  import.meta.url);
const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
const fits = new Ajv({ strict: false }).compile(schema);

// What the schema cannot say: calls nest, and time does not run backwards.
function evented({ events, startValue, endValue }, frames) {
  const open = [];
  const total = {};
  let now = startValue;
  for (const { type, frame, at } of events) {
    if (at < now) throw new Error(`an event at ${at} after one at ${now}`);
    if (frame >= frames.length) throw new Error(`frame ${frame} of ${frames.length}`);
    now = at;
    if (type === 'O') {
      open.push([frame, at]);
      continue;
    }
    const [last, since] = open.pop() ?? [];
    if (last !== frame) throw new Error(`frame ${frame} is closed, and ${last} is open`);
    const name = frames[frame].name;
    total[name] = (total[name] ?? 0) + (at - since);
  }
  if (open.length) throw new Error(`${open.length} frames are never closed`);
  if (now > endValue) throw new Error(`an event at ${now} after the end at ${endValue}`);
  return { events: events.length, total };
}

function sampled({ samples, weights }, frames) {
  if (samples.length !== weights.length) {
    throw new Error(`${samples.length} samples and ${weights.length} weights`);
  }
  for (const stack of samples) {
    for (const frame of stack) {
      if (frame >= frames.length) throw new Error(`frame ${frame} of ${frames.length}`);
    }
  }
  return {
    samples: samples.length,
    weight: weights.reduce((sum, weight) => sum + weight, 0),
    stacks: samples.map((stack) => stack.map((frame) => frames[frame].name).join(';')),
  };
}

await run(async ({ file }) => {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  if (!fits(document)) {
    const [first] = fits.errors;
    throw new Error(`schema: ${first.instancePath || '/'} ${first.message}`);
  }
  const { frames } = document.shared;
  return {
    frames: frames.length,
    profiles: document.profiles.map((profile) => ({
      name: profile.name, unit: profile.unit, type: profile.type,
      start: profile.startValue, end: profile.endValue,
      ...(profile.type === 'evented' ? evented : sampled)(profile, frames),
    })),
  };
});
