/** Pass: seeds that could not stand beside each other in one table, or that name records which nothing makes. */
import type { Field, Filter, SeedRow, Selection } from '../catalog/catalog.ts'
import type { Json } from '../json.ts'
import { conjuncts } from './never.ts'
import { type Draft, eachDraft, type Resolution } from './resolution.ts'

/** Judges the seeded rows of every resource, beside each other and as what other rows name. */
export function seedMistakes(resolution: Resolution): void {
  const all = [...resolution.drafts.values()].flatMap(rowsOf)
  const nameless = new Set<SeedRow>()
  for (const { draft } of eachDraft(resolution)) {
    const { key = [], rows = [] } = draft.seeds ?? {}
    for (const row of rows) {
      knownByItsKey(resolution, key, row)
      staysInScope(resolution, draft, row)
      nobodyIsActor(resolution, row)
      if (!draft.existing) numbersAreCounted(resolution, draft, row)
      if (!namesSeeded(resolution, all, row)) nameless.add(row)
    }
    standOnce(resolution, draft, key, rows)
    keepTheirRules(resolution, draft, rows)
  }
  waitForNobody(resolution, all, nameless)
}

function report(resolution: Resolution, row: SeedRow, field: Field | undefined, message: string, hint: string): void {
  resolution.report('wrong_seed', message, row.places.get(field?.name ?? '') ?? row.span, { hint })
}

/** The written value of a row: a literal, or what selects a record as a text; undefined where it has none. */
function writtenValue(row: SeedRow, field: Field): Json | undefined {
  const found = row.assignments.find((one) => one.field.column === field.column)
  if (found === undefined) return field.default
  if ('selection' in found) return JSON.stringify(conjuncts(found.selection.where).map(comparedWith))
  return found.operand.kind === 'literal' ? found.operand.value : undefined
}

function comparedWith({ operand, operator, path }: ReturnType<typeof conjuncts>[number]): Json {
  const way = [...path.relations.map(({ name }) => name), path.field.name].join('.')
  return [way, operator, operand.kind === 'literal' ? operand.value : operand.kind]
}

function knownByItsKey(resolution: Resolution, key: readonly Field[], row: SeedRow): void {
  for (const field of key) {
    const given = row.assignments.find((one) => one.field === field)
    if (given === undefined || !('operand' in given) || given.operand.kind !== 'literal') continue
    if (given.operand.value !== null || key.length > 1) continue
    const message = `The row has no "${field.name}", by which it would be found again`
    report(resolution, row, field, message, `give ${field.name} a value of its own`)
  }
}

/** A row of a part of a table belongs to that part. */
function staysInScope(resolution: Resolution, draft: Draft, row: SeedRow): void {
  for (const set of draft.scopeSets) {
    if ('selection' in set || set.operand.kind !== 'literal') continue
    const value = row.assignments.find((one) => one.field.column === set.field.column) && writtenValue(row, set.field)
    if (value === undefined || value === set.operand.value) continue
    const message = `"${draft.name}" are the records with ${set.field.name}: ${String(set.operand.value)}, and the row has another`
    report(resolution, row, set.field, message, `leave ${set.field.name} out`)
  }
}

function nobodyIsActor(resolution: Resolution, row: SeedRow): void {
  for (const one of row.assignments) {
    if (!('operand' in one) || one.operand.kind !== 'actor') continue
    const message = `"${one.field.name}" would be of the caller, and nobody calls when a seed is written`
    report(resolution, row, one.field, message, 'name the record by its values, as { email: … }')
  }
}

/** A number that is counted would be given a second time when the count comes to it. */
function numbersAreCounted(resolution: Resolution, draft: Draft, row: SeedRow): void {
  for (const { field } of row.assignments) {
    if (field === draft.key ? !field.readOnly : field.type.generated === undefined) continue
    const message = `The database counts "${field.name}", and would give this one a second time`
    report(resolution, row, field, message, `leave ${field.name} out`)
  }
}

/** One row alone has what one record alone may have, and no two overlap that may not. */
function keepTheirRules(resolution: Resolution, draft: Draft, rows: readonly SeedRow[]): void {
  const same = (fields: readonly Field[], one: SeedRow, other: SeedRow) =>
    fields.every(
      (field) => (writtenValue(one, field) ?? null) !== null && writtenValue(one, field) === writtenValue(other, field),
    )
  for (const [index, row] of rows.entries()) {
    for (const other of rows.slice(0, index)) {
      for (const { field, name, per } of draft.soles)
        if (writtenValue(row, field) === true && writtenValue(other, field) === true && same(per, row, other))
          report(
            resolution,
            row,
            field,
            `One record alone has "${field.name}" (rule "${name}"), and another seed has it`,
            'leave it out of one of them',
          )
      for (const { from, name, per, to, where } of draft.overlaps) {
        if (where !== draft.live || !same(per, row, other) || !meet(row, other, from, to)) continue
        const message = `The row overlaps with another seed, which the rule "${name}" forbids`
        report(resolution, row, from, message, `change ${from.name} or ${to.name}`)
      }
    }
  }
}

/** Whether two rows share a day between their fields; of moments, where both are written in one way. */
function meet(one: SeedRow, other: SeedRow, from: Field, to: Field): boolean {
  const [start, end, begin, close] = [
    writtenValue(one, from),
    writtenValue(one, to),
    writtenValue(other, from),
    writtenValue(other, to),
  ]
  const days = [start, end, begin, close].map((value) => (typeof value === 'string' ? Date.parse(value) : Number.NaN))
  const [a, b, c, d] = days as [number, number, number, number]
  return from.type.wire === 'date' ? a <= d && c <= b : a < d && c < b
}

/** No two rows have one key, or one value of what is unique. */
function standOnce(resolution: Resolution, draft: Draft, key: readonly Field[], rows: readonly SeedRow[]): void {
  const owner = resolution.drafts.get(draft.owner) ?? draft
  const unique = owner.indexes
    .filter((index) => index.unique && isOfLiving(owner, index.where))
    .map(({ fields }) => fields)
  for (const fields of [key, ...unique]) {
    const seen = new Set<string>()
    for (const row of rows) {
      const values = fields.map((field) => writtenValue(row, field))
      if (fields.length === 0 || values.some((value) => value === undefined || value === null)) continue
      const text = JSON.stringify(values)
      const again = seen.has(text)
      seen.add(text)
      if (!again) continue
      const names = fields.map(({ name }) => name)
      const which = fields === key ? 'is known by' : 'has'
      report(
        resolution,
        row,
        fields[0],
        `Another seed ${which} the same ${names.join(' and ')} already`,
        fields === key
          ? 'give one of them another value, or take it away'
          : `two records cannot have the same ${names.join(' and ')}`,
      )
      return
    }
  }
}

function isOfLiving({ live }: Draft, where: Filter | undefined): boolean {
  return where === undefined || where === live
}

interface Row {
  readonly of: Draft
  readonly row: SeedRow
}

function rowsOf(of: Draft): readonly Row[] {
  return (of.seeds?.rows ?? []).map((row) => ({ of, row }))
}

/** The rows that a reference of another one may mean. */
function meant(resolution: Resolution, all: readonly Row[], { resource, where }: Selection): readonly Row[] {
  const owner = resolution.drafts.get(resource)?.owner
  return all.filter(({ of, row }) => of.owner === owner && mayBe(of, row, where))
}

/** Whether the table of what is named is empty at first: one that was there before may hold the record. */
function isMade(resolution: Resolution, { resource }: Selection): boolean {
  return resolution.drafts.get(resource)?.existing === false
}

/** A row that names another record by values needs one that is seeded, because an empty database has no others. */
function namesSeeded(resolution: Resolution, all: readonly Row[], row: SeedRow): boolean {
  const lost = row.assignments.filter(
    (one) =>
      'selection' in one && isMade(resolution, one.selection) && meant(resolution, all, one.selection).length === 0,
  )
  for (const one of lost) {
    const resource = 'selection' in one ? one.selection.resource : ''
    const message = `"${one.field.relation ?? one.field.name}" names a record of "${resource}" that no seed makes`
    report(resolution, row, one.field, message, `correct it, or add the record to the seeds of "${resource}"`)
  }
  return lost.length === 0
}

/** A row is written when those that it names are there; of two that wait for each other none ever is. */
function waitForNobody(resolution: Resolution, all: readonly Row[], nameless: ReadonlySet<SeedRow>): void {
  const written = new Set<SeedRow>(nameless)
  const waits = ({ row }: Row) =>
    row.assignments.find(
      (one) =>
        'selection' in one &&
        isMade(resolution, one.selection) &&
        !meant(resolution, all, one.selection).some((other) => written.has(other.row)),
    )
  let waiting = all.filter(({ row }) => !written.has(row))
  for (;;) {
    const ready = waiting.filter((one) => waits(one) === undefined)
    if (ready.length === 0) break
    for (const { row } of ready) written.add(row)
    waiting = waiting.filter(({ row }) => !written.has(row))
  }
  for (const one of waiting) {
    const field = waits(one)?.field
    const message = `"${field?.relation ?? field?.name}" names a seed that waits for this one, so neither is ever written`
    report(resolution, one.row, field, message, 'leave one of the two relations out; an update can set it later')
  }
}

/** Whether a row may be what a filter looks for; only a value that is written out tells that it is not. */
function mayBe(of: Draft, row: SeedRow, where: Filter): boolean {
  return conjuncts(where).every(({ operand, operator, path }) => {
    if (operator !== 'eq' || operand.kind !== 'literal' || path.relations.length > 0) return true
    const { column, default: byItself, name, type } = path.field
    const sets = [...row.assignments, ...of.scopeSets]
    const given = sets.find(({ field }) => field.column === column)
    if (given === undefined) return type.name === 'slug' || name === 'id' || byItself === operand.value
    return 'selection' in given || given.operand.kind !== 'literal' || given.operand.value === operand.value
  })
}
