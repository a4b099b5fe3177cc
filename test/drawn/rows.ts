/** Records of a drawn application: their values, which are few so that many are equal or absent, and their place in a database. */
import fc from 'fast-check'
import type { Catalog } from '../../engine/catalog/catalog.ts'
import type { Database } from '../../engine/database/database.ts'
import type { Json } from '../../engine/json.ts'
import { type FieldName, NAMES, type Shape } from './shape.ts'

/** What a field may have; the first is absent. */
export const VALUES: Readonly<Record<FieldName, readonly Json[]>> = {
  word: [null, 'a', 'b', 'c'],
  number: [null, 1, 2, 3, 0],
  text: [null, 'Alder', 'birch', 'alder and birch', 'Cedar%'],
  day: [null, '2026-01-01', '2026-02-28', '2026-03-01'],
  flag: [null, true, false, true],
  price: [null, '1.50', '2.00', '0.10'],
  moment: [null, '2026-01-01T00:00:00.000000Z', '2026-01-01T12:30:00.250000Z', '2026-03-01T00:00:00.000000Z'],
}

/** A record; ids of others are places in the list of its resource, from 1 on. */
export interface Row {
  readonly id: number
  readonly deleted: boolean
  readonly values: Readonly<Record<FieldName, Json>>
  readonly ones: Readonly<Record<string, number | null>>
  readonly links: Readonly<Record<string, readonly number[]>>
}

/** The records of each resource, by its place in the shape. */
export type Rows = readonly (readonly Row[])[]

const place = fc.nat(59)
const drawnRow = fc.record({
  deleted: fc.nat(3).map((n) => n === 0),
  values: fc.array(place, { minLength: NAMES.length, maxLength: NAMES.length }),
  ones: fc.array(place, { minLength: 2, maxLength: 2 }),
  links: fc.uniqueArray(place, { maxLength: 3 }),
})

/** Draws the records of an application. */
export function rowsOf(shape: Shape): fc.Arbitrary<Rows> {
  const lists = shape.map(() => fc.array(drawnRow, { minLength: 3, maxLength: 7 }))
  return fc.tuple(...lists).map((all) =>
    all.map((rows, resource) =>
      rows.map((row, at): Row => {
        const { links, ones, soft } = shape[resource]!
        const sizeOf = (target: number): number => all[target]!.length
        const chosen = (target: number, drawn: number): number | null => drawn % (sizeOf(target) + 1) || null
        return {
          ...{ id: at + 1, deleted: soft && row.deleted },
          values: Object.fromEntries(
            NAMES.map((name, i) => [name, VALUES[name][row.values[i]! % VALUES[name].length]!]),
          ) as Row['values'],
          ones: Object.fromEntries(ones.map(({ name, target }, i) => [name, chosen(target, row.ones[i]!)])),
          links: Object.fromEntries(
            links.map(({ name, target }) => [name, [...new Set(row.links.map((n) => (n % sizeOf(target)) + 1))]]),
          ),
        }
      }),
    ),
  )
}

/** Puts the records into the tables of the application. */
export async function insert({ knex }: Database, { resources }: Catalog, shape: Shape, rows: Rows): Promise<void> {
  for (const [at, { name, soft }] of shape.entries()) {
    const records = rows[at]!.map(({ deleted, id, values }) => ({
      ...{ id, ...values },
      ...(soft ? { deleted_at: deleted ? '2026-01-01T00:00:00Z' : null } : {}),
    }))
    await knex(name).insert(records)
    await knex.raw(`select setval(pg_get_serial_sequence('${name}', 'id'), ${records.length})`)
  }
  for (const [at, { links, name, ones }] of shape.entries())
    for (const row of rows[at]!) {
      const keys = Object.fromEntries(ones.map((one) => [`${one.name}_id`, row.ones[one.name]]))
      if (ones.length > 0) await knex(name).where({ id: row.id }).update(keys)
      for (const link of links) {
        const relation = resources.get(name)!.relations.get(link.name)
        if (relation?.kind !== 'many_to_many') continue
        const { from, table, to } = relation.through
        for (const far of row.links[link.name]!) await knex(table).insert({ [from]: row.id, [to]: far })
      }
    }
}
