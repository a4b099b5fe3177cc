/** ⇄ Finds the records that rows name: settings by name or slug, people by e-mail, as the columns say. */
import { type Field, fieldError, type Id, inSentence, type PluginContext, targetOf } from '../../engine/index.ts'
import type { Column, Intake } from './columns.ts'
import type { Entry } from './entry.ts'
import type { Around } from './transactions.ts'

type Relational = Extract<Intake, { readonly kind: 'relation' }>

/** Puts the ids of named records into the inputs of the entries; a name without a record is an error of its row. */
export async function matchNames(
  context: PluginContext,
  columns: Iterable<Column>,
  entries: readonly Entry[],
): Promise<void> {
  for (const column of columns) {
    const { field, intake } = column
    if (intake.kind !== 'relation') continue
    const found = await candidates(context, intake, [
      ...new Set(entries.flatMap(({ names }) => names.get(column) ?? [])),
    ])
    const ids = [...found.values()].flat()
    const parents = await parentsOf(context, intake, ids)
    const admitted = await admittedOf(context, intake, ids)
    for (const { names, input, errors } of entries) {
      const name = names.get(column)
      if (name === undefined) continue
      // Of several records with the same name, the oldest is used.
      const id = found.get(name.toLowerCase())?.find((one) => admitted.has(one) && within(intake, parents, one, input))
      if (id === undefined)
        errors[field.name] = [
          fieldError('invalid_selection', `The selected ${inSentence(intake.relation.label)} is invalid`),
        ]
      else input[field.name] = id
    }
  }
}

/** The ids for each text in lower case, by the first field with a match. */
async function candidates(
  context: PluginContext,
  { relation, match }: Relational,
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly Id[]>> {
  const found = new Map<string, readonly Id[]>()
  for (const name of match) {
    const field = targetOf(context.catalog, relation).fields.get(name)
    const left = texts.map((text) => text.toLowerCase()).filter((text) => !found.has(text))
    const stored = new Map(left.map((text) => [text, field === undefined ? text : asStored(field, text)]))
    const ids = await context.records(relation.target).idsOf(name, [...new Set(stored.values())])
    for (const [text, word] of stored) {
      const one = ids.get(word)
      if (one !== undefined) found.set(text, one)
    }
  }
  return found
}

/** A text in the stored form of a field; an e-mail has one form for many spellings. */
function asStored({ type, options }: Field, text: string): string {
  const parsed = type.parse(text, options)
  return 'value' in parsed && typeof parsed.value === 'string' ? parsed.value.toLowerCase() : text
}

/** The ids of the records that the candidates of a narrowed match belong to. */
async function parentsOf(
  { catalog, model }: PluginContext,
  { relation, within: narrowed }: Relational,
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, unknown>> {
  if (narrowed === undefined || ids.length === 0) return new Map()
  const target = targetOf(catalog, relation)
  const rows = await model(relation.target)
    .query()
    .findByIds([...new Set(ids)])
    .select(`${target.key.column} as id`, `${narrowed.field.column} as parent`)
    .castTo<{ id: Id; parent: unknown }[]>()
  return new Map(rows.map(({ id, parent }) => [id, parent]))
}

function within(
  { within: narrowed }: Relational,
  parents: ReadonlyMap<Id, unknown>,
  id: Id,
  input: Entry['input'],
): boolean {
  return narrowed === undefined || (parents.get(id) ?? null) === (input[narrowed.of] ?? null)
}

/** The candidates that meet the column's `where`. */
async function admittedOf(
  context: Around,
  { relation, where }: Relational,
  ids: readonly Id[],
): Promise<ReadonlySet<Id>> {
  const { catalog } = context
  const target = targetOf(catalog, relation)
  if (where.length === 0 || ids.length === 0) return new Set(ids)
  // Joined by hand: two conditions may follow the same relation, which Objection joins once.
  const query = context.connection
    .knex(`${target.table} as t`)
    .whereRaw('?? = any(?)', [`t.${target.key.column}`, [...new Set(ids)].map(String)])
  for (const [nth, { path, value }] of where.entries()) {
    let at = 't'
    for (const [step, { target: next, field }] of path.relations.entries()) {
      const alias = `w${nth}_${step}`
      const { key, table } = catalog.resources.get(next)!
      query.join(`${table} as ${alias}`, `${alias}.${key.column}`, `${at}.${field.column}`)
      at = alias
    }
    query.whereRaw('?? = ?', [`${at}.${path.field.column}`, value as string | number | boolean])
  }
  const rows: { id: Id }[] = await query.select(`t.${target.key.column} as id`)
  return new Set(rows.map(({ id }) => id))
}
