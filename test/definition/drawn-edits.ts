/** Draws changes of YAML files: any place of any file, each kind of change, and values of every kind. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Edit, valueAt } from '../../engine/definition/edits.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { isObject, type Json } from '../../engine/json.ts'

/** Numbers from 0 to 1, always the same ones of a seed. */
export function drawing(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function one<T>(draw: () => number, all: readonly T[]): T {
  return all[Math.floor(draw() * all.length)]!
}

/** Every YAML file of the project that an application or a plugin is made of. */
export function shippedFiles(): readonly string[] {
  const files = execFileSync('git', ['ls-files', '*.yaml'], { encoding: 'utf8' }).trim().split('\n')
  return files.filter(
    (file) => /^(?:resources|plugins|test\/(?:library|bookings))\//.test(file) && !/\.test\.yaml$/.test(file),
  )
}

/** The value of a file. */
export function readValue(file: string): Json {
  return parseDocument({ file, text: readFileSync(file, 'utf8') }).value?.value as Json
}

/** Every path of a value but the empty one. */
function pathsOf(value: Json, above: Edit['path'] = []): readonly Edit['path'][] {
  const below = Array.isArray(value)
    ? value.map((item, at) => [at, item] as const)
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [key, item as Json] as const)
      : []
  return below.flatMap(([key, item]) => [[...above, key], ...pathsOf(item, [...above, key])])
}

const TEXTS = ['short', 'a longer text: with a colon', "it's # no comment", 'true', '- dash', 'two\nlines\n', '']

function drawnValue(draw: () => number, like: Json | undefined, depth = 0): Json {
  const kind = draw()
  if (isObject(like) && depth < 2 && kind < 0.7) {
    const kept = Object.entries(like).filter(() => draw() < 0.8)
    const changed = kept.map(([key, value]): [string, Json] => [
      key,
      draw() < 0.3 ? drawnValue(draw, value as Json, depth + 1) : (value as Json),
    ])
    const added: [string, Json][] = draw() < 0.4 ? [['drawn_key', drawnValue(draw, undefined, depth + 1)]] : []
    return Object.fromEntries([...changed, ...added])
  }
  if (Array.isArray(like) && kind < 0.7) {
    const kept = like.filter(() => draw() < 0.8)
    return draw() < 0.4 ? [...kept, drawnValue(draw, like[0], depth + 1)] : kept
  }
  if (kind < 0.5) return one(draw, TEXTS)
  if (kind < 0.65) return Math.floor(draw() * 1000)
  if (kind < 0.8) return draw() < 0.5
  if (kind < 0.9) return ['one', 'two']
  return { type: 'string', max: 20 }
}

/** One change that makes sense of a value. */
export function drawnEdit(draw: () => number, whole: Json): Edit {
  const paths = pathsOf(whole)
  for (;;) {
    const path = one(draw, paths)
    const [last, parent] = [path.at(-1), valueAt(whole, path.slice(0, -1))]
    const present = valueAt(whole, path)
    const kind = draw()
    if (kind < 0.35) return { op: 'set', path, value: drawnValue(draw, present) }
    if (kind < 0.55) {
      if (Array.isArray(present)) return { op: 'add', path, value: drawnValue(draw, present[0]) }
      if (isObject(present)) return { op: 'add', path: [...path, 'drawn_key'], value: drawnValue(draw, undefined) }
      continue
    }
    if (kind < 0.75) return { op: 'remove', path }
    if (kind < 0.87 && typeof last === 'string')
      return { op: 'rename', path, value: one(draw, ['drawn', 'a', 'drawn_much_longer_name']) }
    const count = Array.isArray(parent) ? parent.length : isObject(parent) ? Object.keys(parent).length : 0
    if (count > 1) return { op: 'move', path, value: Math.floor(draw() * count) }
  }
}
