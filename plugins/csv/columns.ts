/** The columns of a resource's files: each with its path in the catalog, and how the import reads it. */
import {
  type Access,
  accessOf,
  type BelongsTo,
  type Catalog,
  type Field,
  type FieldPath,
  inSentence,
  type Json,
  type JsonObject,
  memo,
  pathOf,
  type Relation,
  type Resource,
  targetOf,
} from '../../engine/index.ts'
import { type AccessWritten, type ColumnDefinition, type CreateDefinition, definitionOf } from './csv-key.ts'

/** How the import reads a column. */
export type Intake =
  | { readonly kind: 'ignored' }
  /** A value of the record itself; `kept`: callers cannot write it. */
  | { readonly kind: 'value'; readonly kept: boolean }
  /** The words of a name, the last one for the second field. */
  | { readonly kind: 'words'; readonly fields: readonly [Field, Field] }
  /** A record that the row belongs to, found by a name. */
  | {
      readonly kind: 'relation'
      readonly relation: BelongsTo
      readonly match: readonly string[]
      readonly within: Within | undefined
      readonly where: readonly Condition[]
    }
  /** A record that belongs to the row's record, one for each filled cell. */
  | {
      readonly kind: 'child'
      readonly relation: ToMany
      readonly label: string
      readonly set: JsonObject
    }

type ToMany = Extract<Relation, { readonly kind: 'has_many' }>

/** Narrows a match: `field` of the other record must equal `of` in the row. */
export interface Within {
  readonly field: Field
  readonly of: string
}

/** A condition on a record that rows name: a value of a field of its own, or of a record that it belongs to. */
export interface Condition {
  readonly path: FieldPath
  readonly value: Json
}

export interface Column {
  readonly title: string
  /** Titles in files from before a rename. */
  readonly before: readonly string[]
  readonly path: string
  /** The field of the record: its own, or the foreign key. */
  readonly field: Field
  readonly list: boolean
  /** Whether its texts never need quotes or a guard: times, numbers of a sequence, booleans. */
  readonly plain: boolean
  readonly intake: Intake
  readonly otherwise: string | undefined
  readonly required: boolean
  readonly key: boolean
  /** The field for values that do not fit this column. */
  readonly elsewhere: Field | undefined
  /** Whether HTML in it becomes text. */
  readonly html: boolean
  /** How to create the record that it names, if there is none. */
  readonly create: CreateDefinition | undefined
}

export interface Layout {
  readonly resource: Resource
  /** Keys of hooks for new records, which an import gives for all rows. */
  readonly ask: readonly string[]
  readonly columns: readonly Column[]
}

const PLAIN: readonly string[] = ['sequence', 'timestamp', 'date', 'boolean', 'reference', 'uuid']

/** The columns of a resource's files, or undefined without `csv:`; throws a sentence for a path that leads nowhere. */
export const layoutOf = memo((catalog: Catalog, resource: Resource): Layout | undefined => {
  const definition = definitionOf(resource.keys.csv)
  if (definition === undefined) return undefined
  return Object.freeze({
    resource,
    ask: definition.ask ?? [],
    columns: Object.entries(definition.columns).map(([title, written]) => columnOf(catalog, resource, title, written)),
  })
})

/** The access of a route. */
export function accessesOf(written: readonly AccessWritten[]): readonly Access[] {
  return written.flatMap((access) => accessOf(access))
}

/** A title for comparison: without case, and with one kind of gap between words. */
export function headerWord(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
}

/** A column as written; throws a sentence for a path that leads nowhere. */
export function columnOf(catalog: Catalog, resource: Resource, title: string, as: string | ColumnDefinition): Column {
  const written = typeof as === 'string' ? { path: as } : as
  const child = childOf(catalog, resource, written)
  if (child !== undefined) return { ...plainColumn(resource, title, written, child.field), intake: child.intake }
  if (written.set !== undefined) throw new Error('"set" is for columns that add records')
  const { relations, field } = pathOf(catalog, resource, written.path)
  const [relation] = relations
  return {
    ...plainColumn(resource, title, written, field),
    field: relation?.field ?? field,
    intake: intakeOf(catalog, resource, written, relations, field),
  }
}

function plainColumn(
  resource: Resource,
  title: string,
  written: ColumnDefinition,
  field: Field,
): Omit<Column, 'intake'> {
  return {
    title,
    before: namesBefore(resource, written.path),
    path: written.path,
    field,
    list: field.type.name === 'list',
    plain: PLAIN.includes(field.type.name),
    otherwise: written.otherwise,
    required: written.required ?? false,
    key: written.key ?? false,
    elsewhere: written.elsewhere === undefined ? undefined : fieldNamed(resource, written.elsewhere),
    html: written.html ?? false,
    create: written.create,
  }
}

/** How a column adds records, where its path leads over a relation to many. */
function childOf(
  catalog: Catalog,
  { relations }: Resource,
  { path, set = {} }: ColumnDefinition,
): { readonly field: Field; readonly intake: Intake } | undefined {
  const [head = '', name = '', ...more] = path.split('.')
  const relation = relations.get(head)
  if (relation?.kind !== 'has_many' || relation.by.length !== 1 || more.length > 0) return undefined
  const target = targetOf(catalog, relation)
  for (const [of, value] of Object.entries(set)) {
    const { options, type } = fieldNamed(target, of)
    if ('error' in type.decode(value, options)) {
      throw new Error(`"set" cannot give ${of} the value ${JSON.stringify(value)}`)
    }
  }
  return {
    field: fieldNamed(target, name),
    intake: { kind: 'child', relation, label: inSentence(target.label), set },
  }
}

/** The earlier names of the field or relation at the beginning of a path. */
function namesBefore({ fields, relations }: Resource, path: string): readonly string[] {
  const head = path.split('.', 1)[0]
  return [...fields.values(), ...relations.values()].flatMap(({ earlier, name }) =>
    earlier?.instead === head ? [name] : [],
  )
}

function intakeOf(
  catalog: Catalog,
  resource: Resource,
  written: ColumnDefinition,
  relations: readonly BelongsTo[],
  field: Field,
): Intake {
  const [relation] = relations
  if (written.export_only === true) return { kind: 'ignored' }
  if (written.words !== undefined) {
    const [first, last] = written.words
    return { kind: 'words', fields: [fieldNamed(resource, first), fieldNamed(resource, last)] }
  }
  if (relation === undefined) {
    const given = field.readOnly || field.type.generated !== undefined
    if (field.computed !== undefined || field.stored !== undefined || (given && written.keep !== true))
      return { kind: 'ignored' }
    return { kind: 'value', kept: given }
  }
  if (relations.length > 1) return { kind: 'ignored' }
  const target = targetOf(catalog, relation)
  const fieldOf = (name: string): Field => fieldNamed(target, name)
  const match = written.match ?? [field.name]
  for (const name of match) fieldOf(name)
  const [within] = Object.entries(written.within ?? {})
  return {
    kind: 'relation',
    relation,
    match,
    within: within === undefined ? undefined : { field: fieldOf(within[0]), of: within[1] },
    where: Object.entries(written.where ?? {}).map(([path, value]) => conditionOf(catalog, target, path, value)),
  }
}

function conditionOf(catalog: Catalog, target: Resource | undefined, written: string, value: Json): Condition {
  if (target === undefined) throw new Error(`there is nothing to look for ${written} in`)
  const path = pathOf(catalog, target, written)
  const decoded = path.field.type.decode(value, path.field.options)
  if (path.field.computed !== undefined || 'error' in decoded) {
    throw new Error(`"where" cannot compare ${written} with ${JSON.stringify(value)}`)
  }
  return { path, value: decoded.value }
}

function fieldNamed({ fields, name: resource }: Resource, name: string): Field {
  const found = fields.get(name)
  if (found === undefined) throw new Error(`${resource} has no field ${name}`)
  return found
}
