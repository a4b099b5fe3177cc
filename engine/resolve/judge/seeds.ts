/** Judges seeds: rows that could not be together in one table, and rows that name records which no seed makes. */
import type { Assignment, Field, Filter, RecordRule, SeedRow, Selection } from '../../catalog/catalog.ts'
import { isStored, literalOf } from '../../catalog/stored.ts'
import { comparisons } from '../../filter/walk.ts'
import type { Json } from '../../json.ts'
import { nearest } from '../../text/nearest.ts'
import type { Span } from '../../text/source.ts'
import { type Draft, isFilledByItself, type Resolution } from '../resolution.ts'
import { judge, judgedResources, type Placed, table } from './judgement.ts'
import { necessaryComparisons } from './satisfiable.ts'
import { truthOf } from './truth.ts'

/** Judges the seeded rows of every resource, next to each other and as records that other rows name. */
export function judgeSeeds(resolution: Resolution): void {
  const all = [...resolution.drafts.values()].flatMap(rowsOf)
  const nameless = new Set<SeedRow>()
  for (const { draft } of judgedResources(resolution)) {
    const { key = [], rows = [] } = draft.seeds ?? {}
    for (const row of rows)
      for (const assignment of row.assignments) {
        const { field } = assignment
        const one = { resolution, draft, field, key, assignment, all, place: () => placeOf(row, field) }
        judge(resolution, ASSIGNED, one)
        if (isLost(one)) nameless.add(row)
      }
    judgeRepeated(resolution, draft, key, rows)
    for (const row of rows) judge(resolution, BROKEN, { draft, row, place: () => row.span })
    judgeNumbers(resolution, draft, rows)
    for (const [index, row] of rows.entries())
      for (const other of rows.slice(0, index)) judgePair(resolution, draft, row, other)
  }
  judgeWaiting(resolution, all, nameless)
  judgeNamed(resolution)
}

/** A word that a condition compares with what the seeds of a resource are found by. */
interface NamedSeed extends Placed {
  readonly word: string
  readonly field: Field
  readonly draft: Draft
}

const NAMED = table<NamedSeed>('wrong_seed', [
  {
    when: ({ draft, field, word }) => !seededWords(draft, field).includes(word),
    says: ({ draft, field, word }) =>
      nearest(word, seededWords(draft, field)) !== undefined &&
      `No seed of "${draft.name}" has the ${field.name} "${word}"`,
    hint: ({ draft, field, word }) => `did you mean "${nearest(word, seededWords(draft, field))}"?`,
    details: () => ({ severity: 'warning' }),
  },
])

/** Judges the conditions of clauses, rules, automations and relations that name a seeded record by its key. */
function judgeNamed(resolution: Resolution): void {
  const keys = new Map<Field, Draft>()
  for (const draft of resolution.drafts.values()) {
    const [key, more] = draft.seeds?.key ?? []
    if (key !== undefined && more === undefined) keys.set(key, draft)
  }
  for (const { draft } of judgedResources(resolution))
    for (const [filter, span] of conditionsOf(draft))
      for (const { operand, operator, path } of comparisons(filter)) {
        const seeded = keys.get(path.field)
        if (seeded === undefined || operand.kind !== 'literal' || !/^(?:eq|ne|in|not_in)$/.test(operator)) continue
        for (const word of [operand.value].flat())
          if (typeof word === 'string')
            judge(resolution, NAMED, { word, field: path.field, draft: seeded, place: () => span })
      }
}

function seededWords({ seeds }: Draft, { column }: Field): readonly string[] {
  return (seeds?.rows ?? []).flatMap(({ assignments }) => {
    const given = assignments.find(({ field }) => field.column === column)
    const word = given && literalOf(given)
    return typeof word === 'string' ? [word] : []
  })
}

function conditionsOf(draft: Draft): readonly (readonly [Filter, Span])[] {
  const clauses = Object.values(draft.policies).flatMap((all) =>
    all.flatMap(({ span, where }) => (where === undefined ? [] : [[where, span] as const])),
  )
  const rules = draft.rules.flatMap(({ parts }) => parts.map(({ filter, span }) => [filter, span] as const))
  const automations = [...draft.automations.values()].flatMap(({ when = [] }) =>
    when.map(({ filter, span }) => [filter, span] as const),
  )
  const follows = draft.follows.flatMap(({ span, when }) => (when === undefined ? [] : [[when, span] as const]))
  const relations = [...draft.relations.values()].flatMap((relation) => {
    if (relation.kind !== 'belongs_to') return []
    return [relation.default, relation.where].flatMap((one) => (one ? [[one, relation.span] as const] : []))
  })
  return [...clauses, ...rules, ...automations, ...follows, ...relations]
}

function placeOf({ places, span }: SeedRow, field: Field | undefined) {
  return places.get(field?.name ?? '') ?? span
}

/** A value of a seeded row. */
interface Assigned extends Placed {
  readonly resolution: Resolution
  readonly draft: Draft
  readonly field: Field
  readonly key: readonly Field[]
  readonly assignment: Assignment
  /** The seeded rows of all resources. */
  readonly all: readonly SeededRow[]
}

const ASSIGNED = table<Assigned>('wrong_seed', [
  {
    when: ({ assignment, field, key }) => key.length === 1 && key[0] === field && literalOf(assignment) === null,
    says: ({ field }) => `The row has no "${field.name}", by which it would be found again`,
    hint: ({ field }) => `give ${field.name} a value of its own`,
  },
  {
    says: ({ assignment, draft, field }) => {
      const set = draft.scopeSets.find((one) => one.field.column === field.column)
      const [wanted, given] = [set && literalOf(set), writtenValue(assignment)]
      return wanted === undefined || given === undefined || given === wanted
        ? undefined
        : `"${draft.name}" are the records with ${field.name}: ${String(wanted)}, and the row has another`
    },
    hint: ({ field }) => `leave ${field.name} out`,
  },
  {
    when: ({ assignment }) => 'operand' in assignment && assignment.operand.kind === 'actor',
    says: ({ field }) => `"${field.name}" would be of the caller, and nobody calls when a seed is written`,
    hint: 'name the record by its values, as { email: … }',
  },
  {
    when: ({ draft, field }) =>
      !draft.existing && (field === draft.key ? field.readOnly : field.type.generated !== undefined),
    says: ({ field }) => `The database counts "${field.name}", and would give this one a second time`,
    hint: ({ field }) => `leave ${field.name} out`,
  },
  {
    when: isLost,
    says: ({ field, assignment }) =>
      `"${field.relation ?? field.name}" names a record of "${resourceOf(assignment)}" that no seed makes`,
    hint: ({ assignment }) => `correct it, or add the record to the seeds of "${resourceOf(assignment)}"`,
  },
])

function resourceOf(assignment: Assignment): string {
  return 'selection' in assignment ? assignment.selection.resource : ''
}

/** The written value: a literal, or a text that identifies the selected record. */
function writtenValue(assignment: Assignment): Json | undefined {
  if (!('selection' in assignment)) return literalOf(assignment)
  const parts = necessaryComparisons(assignment.selection.where)
  return JSON.stringify(
    parts.map(({ operand, operator, path }) => {
      const way = [...path.relations.map(({ name }) => name), path.field.name].join('.')
      return [way, operator, operand.kind === 'literal' ? operand.value : operand.kind]
    }),
  )
}

/** The value that a row has in a field; undefined where it is not written out. */
function writtenIn(row: SeedRow, field: Field): Json | undefined {
  const assignment = row.assignments.find((one) => one.field.column === field.column)
  return assignment === undefined ? field.default : writtenValue(assignment)
}

function isSame(fields: readonly Field[], one: SeedRow, other: SeedRow): boolean {
  return fields.every(
    (field) => (writtenIn(one, field) ?? null) !== null && writtenIn(one, field) === writtenIn(other, field),
  )
}

/** Judges two rows by the rules about several records: what one alone may have, and what may not overlap. */
function judgePair({ report }: Resolution, { live, overlaps, soles }: Draft, row: SeedRow, other: SeedRow): void {
  for (const { field, name, per } of soles) {
    if (writtenIn(row, field) !== true || writtenIn(other, field) !== true || !isSame(per, row, other)) continue
    const message = `One record alone has "${field.name}" (rule "${name}"), and another seed has it`
    report('wrong_seed', message, placeOf(row, field), { hint: 'leave it out of one of them' })
  }
  for (const { from, name, per, to, where } of overlaps) {
    if (where !== live || !isSame(per, row, other) || !meet(row, other, from, to)) continue
    const message = `The row overlaps with another seed, which the rule "${name}" forbids`
    report('wrong_seed', message, placeOf(row, from), { hint: `change ${from.name} or ${to.name}` })
  }
}

/** Whether two rows share a day between their fields; of moments, where both are written in one way. */
function meet(one: SeedRow, other: SeedRow, from: Field, to: Field): boolean {
  const values = [writtenIn(one, from), writtenIn(one, to), writtenIn(other, from), writtenIn(other, to)]
  const days = values.map((value) => (typeof value === 'string' ? Date.parse(value) : Number.NaN))
  const [a, b, c, d] = days as [number, number, number, number]
  return from.type.wire === 'date' ? a <= d && c <= b : a < d && c < b
}

interface JudgedRow extends Placed {
  readonly draft: Draft
  readonly row: SeedRow
}

const BROKEN = table<JudgedRow>('wrong_seed', [
  {
    at: ({ draft, row }) => placeOf(row, necessaryComparisons(brokenBy(draft, row)!.must)[0]?.path.field),
    says: ({ draft, row }) => {
      const rule = brokenBy(draft, row)
      return rule && `The row breaks the rule "${rule.name}": ${rule.says}`
    },
    hint: 'correct the row, or the rule',
  },
])

/** A rule about new records that the values of a row surely break. */
function brokenBy(draft: Draft, row: SeedRow): RecordRule | undefined {
  const known = (field: Field) => knownIn(draft, row, field)
  return draft.rules.find(
    ({ must, on, when }) =>
      on.has('create') && (when === undefined || truthOf(when, known)) === true && truthOf(must, known) === false,
  )
}

/** The value that the record of a row surely has; undefined where the database, a hook or what follows may give another. */
function knownIn(draft: Draft, row: SeedRow, field: Field): Json | undefined {
  const isOthers = draft.follows.some(({ set }) => set.some((one) => one.field.column === field.column))
  if (isOthers || !isStored(field) || field.stored !== undefined || field === draft.key) return undefined
  const assignment = [...row.assignments, ...draft.scopeSets].find((one) => one.field.column === field.column)
  if (assignment !== undefined) return literalOf(assignment)
  if (field.default !== undefined) return field.default
  return isFilledByItself(draft, field) || field.type.name === 'slug' ? undefined : null
}

/** Reports the first row that is one too many of its kind. */
function judgeNumbers({ report }: Resolution, draft: Draft, rows: readonly SeedRow[]): void {
  for (const { most, name, per, says, where } of draft.counts) {
    const counted = rows.filter((row) => where === undefined || truthOf(where, (field) => knownIn(draft, row, field)))
    const surplus = counted.find(
      (row, index) =>
        most !== undefined && counted.slice(0, index).filter((one) => isSame(per, one, row)).length >= most,
    )
    const hint = 'leave it out, or write a greater "at_most"'
    if (surplus !== undefined)
      report('wrong_seed', `The row breaks the rule "${name}": ${says}`, surplus.span, { hint })
  }
}

/** Reports the first row whose key, or whose value of a unique index, an earlier row has. */
function judgeRepeated(
  { drafts, report }: Resolution,
  draft: Draft,
  key: readonly Field[],
  rows: readonly SeedRow[],
): void {
  const { indexes, live } = drafts.get(draft.owner) ?? draft
  const unique = indexes.filter((index) => index.unique && (index.where === undefined || index.where === live))
  for (const fields of [key, ...unique.map((index) => index.fields)]) {
    const texts = rows.map((row) => {
      const values = fields.map((field) => writtenIn(row, field) ?? null)
      return values.length === 0 || values.includes(null) ? undefined : JSON.stringify(values)
    })
    const again = rows.find((_, index) => texts[index] !== undefined && texts.indexOf(texts[index]) < index)
    if (again === undefined) continue
    const names = fields.map(({ name }) => name).join(' and ')
    const isKey = fields === key
    const message = `Another seed ${isKey ? 'is known by' : 'has'} the same ${names} already`
    const hint = isKey ? 'give one of them another value, or take it away' : `two records cannot have the same ${names}`
    report('wrong_seed', message, placeOf(again, fields[0]), { hint })
    return
  }
}

/** A seeded row with its resource. */
interface SeededRow {
  readonly of: Draft
  readonly row: SeedRow
}

function rowsOf(of: Draft): readonly SeededRow[] {
  return (of.seeds?.rows ?? []).map((row) => ({ of, row }))
}

/** The rows that a reference may mean; undefined where the table was there before, and may hold the record. */
function meant(
  resolution: Resolution,
  all: readonly SeededRow[],
  assignment: Assignment,
): readonly SeededRow[] | undefined {
  if (!('selection' in assignment)) return undefined
  const { resource, where }: Selection = assignment.selection
  const target = resolution.drafts.get(resource)
  if (target?.existing !== false) return undefined
  return all.filter(({ of, row }) => of.owner === target.owner && mayBe(of, row, where))
}

/** Whether a value names a record that no seed makes: an empty database has no others. */
function isLost({ all, assignment, resolution }: Assigned): boolean {
  return meant(resolution, all, assignment)?.length === 0
}

/** Reports the rows that are never written, because they wait for each other: a row is written behind those that it names. */
function judgeWaiting(resolution: Resolution, all: readonly SeededRow[], nameless: ReadonlySet<SeedRow>): void {
  const written = new Set<SeedRow>(nameless)
  const awaited = ({ row }: SeededRow) =>
    row.assignments.find((one) => meant(resolution, all, one)?.some((other) => written.has(other.row)) === false)
  let waiting = all.filter(({ row }) => !written.has(row))
  for (;;) {
    const ready = waiting.filter((one) => awaited(one) === undefined)
    if (ready.length === 0) break
    for (const { row } of ready) written.add(row)
    waiting = waiting.filter(({ row }) => !written.has(row))
  }
  for (const one of waiting) {
    const field = awaited(one)?.field
    const message = `"${field?.relation ?? field?.name}" names a seed that waits for this one, so neither is ever written`
    const hint = 'leave one of the two relations out; an update can set it later'
    resolution.report('wrong_seed', message, placeOf(one.row, field), { hint })
  }
}

/** Whether a row may be the record that a filter looks for; only a value that is written out says that it is not. */
function mayBe(of: Draft, row: SeedRow, where: Filter): boolean {
  return necessaryComparisons(where).every(({ operand, operator, path }) => {
    if (operator !== 'eq' || operand.kind !== 'literal' || path.relations.length > 0) return true
    const { column, default: byItself, name, type } = path.field
    const given = [...row.assignments, ...of.scopeSets].find(({ field }) => field.column === column)
    if (given === undefined) return type.name === 'slug' || name === 'id' || byItself === operand.value
    return 'selection' in given || given.operand.kind !== 'literal' || given.operand.value === operand.value
  })
}
