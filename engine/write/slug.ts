/** ⇄ Slugs made from another field: the first free one among live records, `-2`, `-3` … on collision. */

import type { Field, Resource } from '../catalog/catalog.ts'
import { slugFields } from '../catalog/stored.ts'
import { slugify } from '../field/slug.ts'
import { likeLiteral } from '../filter/sql.ts'
import type { Json } from '../json.ts'
import type { FieldValues } from '../record/decode.ts'
import { type Execution, runCompiled } from '../run/execution.ts'
import { compileTakenSlugs } from '../statement/record.ts'

/** Room for `-` and a number of six digits below the longest slug. */
const SUFFIX_LENGTH = 7

const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1::text, 0))'

function baseOf(resource: Resource, field: Field, values: Readonly<FieldValues>): string {
  const source = values[String(field.options.own.from)]
  const longest = typeof field.options.own.max === 'number' ? field.options.own.max : 255
  const base = slugify(String(source ?? '')).slice(0, longest - SUFFIX_LENGTH)
  return base.replace(/-+$/, '') || slugify(resource.label)
}

/** Whether a slug is one that `values` give the field, with or without a number. */
function followsFrom(resource: Resource, field: Field, values: Readonly<FieldValues>, slug: Json): boolean {
  const base = baseOf(resource, field, values)
  return (
    typeof slug === 'string' &&
    (slug === base || (slug.startsWith(`${base}-`) && /^\d+$/.test(slug.slice(base.length + 1))))
  )
}

/** The slug that `values` give a field, made unique among live records where the field is unique. */
export async function freeSlug(
  around: Execution,
  resource: Resource,
  field: Field,
  values: Readonly<FieldValues>,
): Promise<string> {
  const base = baseOf(resource, field, values)
  if (!field.unique) return base
  // In a transaction a duplicate would fail everything, so requests that make slugs for this column wait for each other.
  if (around.transaction !== undefined) await around.runner.run({ text: LOCK }, [`${resource.table}.${field.column}`])
  const compiled = compileTakenSlugs(around, resource, field)
  const rows = await runCompiled(around, compiled, { base, pattern: `${likeLiteral(base)}-%` }, true)
  const taken = new Set(rows.map((row) => row[0]))
  let slug = base
  for (let number = 2; taken.has(slug); number++) slug = `${base}-${number}`
  return slug
}

/** A slug that is cleared is made again; one that already follows from its source stays. */
export async function remakeSlugs(
  around: Execution,
  resource: Resource,
  changed: FieldValues,
  record: Readonly<Record<string, Json>>,
): Promise<void> {
  for (const field of slugFields(resource)) {
    if (changed[field.name] !== null) continue
    const values = { ...record, ...changed }
    if (followsFrom(resource, field, values, record[field.name] ?? null)) delete changed[field.name]
    else changed[field.name] = await freeSlug(around, resource, field, values)
  }
}
