/**
 * The parts of an application below that a higher one replaces, and extends.lock, which keeps what each of them was then:
 * a later correction of a replaced part would otherwise reach nobody.
 */
import { createHash } from 'node:crypto'
import { parseDocument } from '../definition/parse.ts'
import { flow } from '../definition/sentence.ts'
import { isObject, type Json } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { placeOf, type Source, type Span } from '../text/source.ts'
import type { Replaced } from './extend-resource.ts'

/** A part that an application writes over the one below, with its value there and its own one. */
export interface ReplacedPart {
  /** `tickets.policies.update`. */
  readonly path: string
  /** undefined: nothing is there below. */
  readonly below: Json | undefined
  readonly own: Json
  /** The place of the own value, and of the one below. */
  readonly span: Span
  readonly belowSpan: Span | undefined
  /** Parts of both are merged. */
  readonly isMerged: boolean
  /** The own application does not have the part; it may have another one of the same name. */
  readonly isLeftOut: boolean
}

/** Keys of app.yaml that each application has for itself. */
const OWN = ['name', 'version', 'description', 'extends', 'without']

/** What the files `own` write over others. A value that only repeats the one below is a hint, and replaces nothing. */
export function replacedParts(
  replaced: readonly Replaced[],
  own: ReadonlySet<string>,
): { readonly parts: readonly ReplacedPart[]; readonly diagnostics: readonly Diagnostic[] } {
  const ours = replaced.filter(({ path, now }) => !OWN.includes(path) && own.has(now.place([]).source.file))
  const left = new Set(ours.flatMap(({ path, isLeftOut }) => (isLeftOut === true ? [path] : [])))
  const mine = ours.filter(({ path, isLeftOut }) => isLeftOut === true || !left.has(path))
  const diagnostics = mine.filter(isRepeated).map(({ path, was, now }): Diagnostic => {
    const message = `This repeats what ${was === undefined ? '' : placeOf(was.place([]))} says of ${path}`
    const hint = 'take it away: a later correction there does not reach a copy'
    return { code: 'repeated_part', message, span: now.place([], 'key'), hint, severity: 'warning' }
  })
  const parts = mine
    .filter((one) => !isRepeated(one))
    .map(({ path, was, now, isMerged = false, isLeftOut = false }) => ({
      path,
      below: isLeftOut ? keptOf(was?.value as Json) : (was?.value as Json | undefined),
      own: isLeftOut ? 'left out' : (now.value as Json),
      span: now.place([]),
      belowSpan: was?.place([]),
      isMerged,
      isLeftOut,
    }))
  return { parts: parts.sort((a, b) => (a.path < b.path ? -1 : 1)), diagnostics }
}

/** A value as the lock keeps it where the application has nothing instead: a long one, such as a whole resource, is a hash. */
function keptOf(value: Json): Json {
  const text = flow(value)
  return text.length <= LONG ? value : `hash ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

const LONG = 300

function isRepeated({ was, now, isLeftOut, isMerged }: Replaced): boolean {
  return isLeftOut !== true && isMerged !== true && was !== undefined && isSame(was.value as Json, now.value as Json)
}

/** Whether two values are equal, whatever the order of their keys. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  if (!isObject(one ?? null) || !isObject(other ?? null)) return one === other
  const [a, b] = [one as { [key: string]: Json }, other as { [key: string]: Json }]
  return Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => isSame(a[key], b[key]))
}

/** Path → the value below when it was replaced, or when its change was accepted. */
export type Lock = ReadonlyMap<string, Json>

/** The lock of a text, or what is wrong with it. */
export function readLock(source: Source | undefined): {
  readonly lock: Lock
  readonly diagnostics: readonly Diagnostic[]
} {
  if (source === undefined) return { lock: new Map(), diagnostics: [] }
  const { value, diagnostics } = parseDocument(source)
  const read = value?.value as Json | undefined
  return { lock: new Map(Object.entries(isObject(read ?? null) ? (read as object) : {})), diagnostics }
}

/** A part whose value below is another one than the lock has. */
export interface ChangedPart extends ReplacedPart {
  readonly then: Json
  /** Fewer callers may do something below than before. */
  readonly isStricter: boolean
}

/** The place of a value in the lock where nothing is there below. */
const NOTHING = '(nothing)'

/** The parts that have changed below since they were written over. */
export function changedParts(parts: readonly ReplacedPart[], lock: Lock): readonly ChangedPart[] {
  return parts.flatMap((part) => {
    const then = lock.get(part.path)
    if (then === undefined || isSame(then, part.below ?? NOTHING)) return []
    return [{ ...part, then, isStricter: isStricter(part, then) }]
  })
}

/** The warning about a changed part, with all three values. */
export function changedWarning({
  path,
  then,
  below,
  own,
  span,
  belowSpan,
  isLeftOut,
  isStricter,
}: ChangedPart): Diagnostic {
  const place = belowSpan === undefined ? 'in the application below' : `at ${placeOf(belowSpan)}`
  const message = isLeftOut
    ? `${path} was changed ${place} after this left it out`
    : isStricter
      ? `DANGER: ${path} became stricter ${place}, and this still allows what is no longer allowed there`
      : `${path} was changed ${place} after this was written over it`
  return {
    code: 'changed_part',
    message,
    span,
    expected: [
      `below then: ${shown(then)}`,
      `below now: ${shown(below ?? NOTHING)}`,
      `yours: ${isLeftOut ? 'left out' : flow(own)}`,
    ],
    hint: `take this away or change it, or keep it by npx plinth accept ${/^[\w.-]+$/.test(path) ? path : `'${path}'`}`,
    severity: 'warning',
  }
}

function shown(value: Json): string {
  return value === NOTHING ? NOTHING : flow(value)
}

/** A complaint for each resource that a file extends, that `paths` of the lock are in, and that is below no more. */
export function goneBelow(
  paths: readonly string[],
  resources: ReadonlyMap<string, Span>,
  below: ReadonlySet<string>,
): readonly Diagnostic[] {
  const extended = new Set(paths.map((path) => path.split('.')[0] ?? ''))
  return [...resources].flatMap(([name, span]): readonly Diagnostic[] => {
    if (!extended.has(name) || below.has(name)) return []
    const message = `The application below has no resource "${name}" any more, which this file extended`
    const hint = `remove the file, or write the resource whole and take the lines of ${name} out of extends.lock`
    return [{ code: 'unknown_part', message, span, hint }]
  })
}

const HEAD =
  '# Written by plinth: what the application below says where this one writes something over it. Keep it in the repository.\n'

/** The text of the lock: a part that is new there gets its value below, and so does one that is accepted. */
export function lockText(parts: readonly ReplacedPart[], lock: Lock, accepted: ReadonlySet<string>): string {
  const lines = parts.flatMap(({ path, below, isMerged }) => {
    const known = accepted.has(path) ? undefined : lock.get(path)
    if (isMerged && known === undefined) return []
    return [`${flow(path)}: ${flow(known ?? below ?? NOTHING)}\n`]
  })
  return lines.length === 0 ? '' : HEAD + lines.join('')
}

/** Whether somebody lost something between two values of a policy, of one clause, or of an access rule. */
function isStricter({ path, below, isLeftOut }: ReplacedPart, then: Json): boolean {
  if (isLeftOut || below === undefined || then === NOTHING || !/\.(?:policies|read|write)(?:\.|$)/.test(path))
    return false
  const [before, after] = [clausesOf(then), clausesOf(below)]
  return !before.every((clause) => after.some((one) => covers(one, clause)))
}

type Clause = { readonly [key: string]: Json }

function clausesOf(value: Json): readonly Clause[] {
  return [value].flat().filter((one): one is Clause => isObject(one as Json))
}

/** Whether a clause allows at least what another one does. */
function covers(wide: Clause, narrow: Clause): boolean {
  const isFor =
    wide.who === 'anyone' || (wide.who === 'signed_in' && narrow.who !== 'anyone') || sameCallers(wide, narrow)
  const fields = [wide.fields, narrow.fields]
  const hasFields =
    fields[0] === undefined ||
    (fields[1] !== undefined && [fields[1]].flat().every((one) => [fields[0]].flat().includes(one)))
  return (
    isFor &&
    (wide.where === undefined || isSame(wide.where, narrow.where)) &&
    (wide.set === undefined || isSame(wide.set, narrow.set)) &&
    hasFields
  )
}

function sameCallers(wide: Clause, narrow: Clause): boolean {
  const roles = (clause: Clause) => [clause.role ?? []].flat()
  const hasRoles =
    wide.role === undefined || (narrow.role !== undefined && roles(narrow).every((one) => roles(wide).includes(one)))
  return (
    hasRoles &&
    (wide.permission === undefined || wide.permission === narrow.permission) &&
    (wide.who === undefined || wide.who === narrow.who)
  )
}
