/** Plans that a resource serves rows which it did not serve before: those that were deleted, or that were another's. */

import type { Catalog, Filter, Resource } from '../catalog/catalog.ts'
import { quoted as q } from '../filter/sql.ts'
import { isFixed } from '../filter/walk.ts'
import { fixedConditionSql, pathSql } from './condition.ts'
import { obstacles } from './obstacle.ts'
import { type Pair, presentColumn } from './pair.ts'
import { changing, type Step } from './step.ts'
import type { Present, ServedRows, Table } from './table.ts'

/** The rows of a table that each of its resources serves. */
export function servedRows(catalog: Catalog, resources: readonly Resource[]): Readonly<Record<string, ServedRows>> {
  return Object.fromEntries(
    resources.map(({ live, name, renamedFrom, scope }) => [
      name,
      {
        ...condition('scope', catalog, scope),
        ...condition('live', catalog, live),
        ...(renamedFrom === undefined ? {} : { renamedFrom }),
      },
    ]),
  )
}

/** What speaks of the caller or of the present moment has no SQL of its own; policies tell of it. */
function condition(key: 'scope' | 'live', catalog: Catalog, filter: Filter | undefined): ServedRows {
  if (filter === undefined || !isFixed(filter)) return {}
  return { [key]: fixedConditionSql(filter, (path) => pathSql(catalog, path, 't')) }
}

/** Rows that were not served and would be wait for a person. */
export function servingMore(pair: Pair, { meanings }: Present): readonly Step[] {
  return Object.entries(pair.wanted.served ?? {}).flatMap(([resource, now]) => {
    const before = meanings?.served?.[resource] ?? meanings?.served?.[now.renamedFrom ?? resource]
    if (before === undefined || before.table !== (pair.back ? pair.wanted.name : pair.actual.name)) return []
    const hidden = allOf(before)
    if (hidden === undefined || hidden === allOf(now) || !isReadable(pair.actual, hidden)) return []
    const later = allOf(now)
    const shown = later === undefined ? 'true' : asItWillBe(pair, later)
    const isDeleted = before.scope === now.scope && before.live === `t.${q('deleted_at')} is null`
    const noun = isDeleted ? 'deleted record' : 'record'
    const step: Step = {
      ...changing(`serve ${noun}s of ${resource} that were not served`),
      ...obstacles(pair, `(${shown}) and (${hidden}) is not true`, 'now'),
      noun,
      consequence: 'would be served',
      advice: `leave ${isDeleted ? '`soft_delete`' : 'the condition'} in the file, or take those rows out of the table first`,
      risk: 'unsafe',
      // Nobody serves them without a word, neither an older version.
      effect: 'retypes',
    }
    return [step]
  })
}

function allOf({ live, scope }: ServedRows): string | undefined {
  const both = [scope, live].flatMap((one) => (one === undefined ? [] : [`(${one})`]))
  return both.length === 0 ? undefined : both.join(' and ')
}

/** The row's own columns in a condition. */
const OWN = /\bt\."((?:[^"]|"")+)"/g

function isReadable({ columns }: Table, sql: string): boolean {
  const known = new Set(columns.map(({ name }) => name))
  return [...sql.matchAll(OWN)].every(([, name = '']) => known.has(name.replaceAll('""', '"')))
}

/** A condition of the later columns over the present ones; one that is not there yet has its default in every row. */
function asItWillBe(pair: Pair, sql: string): string {
  return sql.replaceAll(OWN, (whole, written: string) => {
    const column = pair.wanted.columns.find(({ name }) => name === written.replaceAll('""', '"'))
    if (column === undefined) return whole
    const was = presentColumn(pair, column)
    return was === undefined ? `(${column.fill ?? column.default ?? 'null'})::${column.type}` : `t.${q(was.name)}`
  })
}
