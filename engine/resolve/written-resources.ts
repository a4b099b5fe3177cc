/** Passes: the resources as written, after the transforms of plugins, and with what `of` takes over from the owner of the table. */
import type {
  ApplicationDefinition,
  Document,
  FieldDefinition,
  RelationDefinition,
  ResourceDefinition,
} from '../definition/definition.ts'
import { sentenceOf } from '../error.ts'
import { entries, layered } from './document-part.ts'
import { type Resolution, suggest, suggestResource, type Written } from './resolution.ts'

/** Runs every transform on every resource in the plugins' order, and sorts out resources of the same name. */
export function applyTransforms(resolution: Resolution): void {
  const { app, resources } = resolution.definition
  // A resource that cannot be used is there all the same, for a transform that only asks for its name.
  const names = new Set(resources.map(({ value }) => value.resource))
  const others = [...resolution.unusable].filter((name) => !name.includes('.') && !names.has(name))
  const application = {
    prefix: (app.value.prefix ?? '').replace(/\/+$/, ''),
    resources: [...resources.map(({ value }) => value), ...others.map((resource) => ({ resource }))],
  }
  for (const source of resources) {
    const document = transformed(resolution, source, application)
    const { resource: name } = document.value
    const earlier = resolution.written.get(name)
    if (earlier !== undefined) {
      const other = earlier.document.place(['resource']).source.file
      resolution.report(
        'duplicate_resource',
        `The resource "${name}" is declared in ${other} already`,
        document.place(['resource']),
        {
          hint: 'one file declares one resource; give this one another name or remove it',
        },
      )
      continue
    }
    const original = new Set(Object.keys(source.value.fields ?? {}))
    const fields = new Map(entries(document, ['fields'], document.value.fields))
    resolution.written.set(name, {
      name,
      document,
      fields,
      relations: new Map(entries(document, ['relations'], document.value.relations)),
      added: new Set([...fields.keys()].filter((field) => !original.has(field))),
      base: resolution.definition.bases.baseOf.get(name),
    })
  }
}

/** A transform is a plugin's code, which no compiler need have seen. */
function isDefinition(value: unknown): value is ResourceDefinition {
  return typeof value === 'object' && value !== null && 'resource' in value && typeof value.resource === 'string'
}

function transformed(
  resolution: Resolution,
  source: Document<ResourceDefinition>,
  application: ApplicationDefinition,
): Document<ResourceDefinition> {
  let value = source.value
  for (const { plugin, options, transform } of resolution.extensions.transforms) {
    try {
      const changed: unknown = transform(value, options, application)
      if (!isDefinition(changed)) throw new Error('it returned no resource')
      value = changed
    } catch (error) {
      const reason = sentenceOf(error)
      resolution.report(
        'plugin_failed',
        `The plugin "${plugin}" could not change "${value.resource}": ${reason}`,
        source.place(['resource']),
      )
    }
  }
  return { value, place: source.place }
}

/** Keys of a field or relation that only the owner of the table may write. */
const OWNERS_FIELD_KEYS = ['type', 'column', 'column_type', 'renamed_from', 'unique', 'stored', 'holds'] as const
const OWNERS_RELATION_KEYS = ['belongs_to', 'column', 'renamed_from', 'on_delete'] as const
/** Keys of a resource that it takes over from its base unless it writes them itself. */
const INHERITED = ['live', 'delete_sets', 'restore_sets', 'update_sets', 'actions'] as const

/** Merges every `of` resource over its base, bases first; one whose base cannot be used is left out. */
export function inherit(resolution: Resolution): void {
  const { order, circles } = resolution.definition.bases
  for (const name of order) {
    const written = resolution.written.get(name)
    if (written?.base === undefined) continue
    const base = resolution.written.get(written.base)
    const circle = circles.get(name)
    if (circle === undefined && base !== undefined) {
      resolution.written.set(name, merged(resolution, written, base))
      continue
    }
    if (circle !== undefined) reportCircle(resolution, written, circle)
    else if (!resolution.unusable.has(written.base)) reportUnknown(resolution, written, written.base)
    drop(resolution, name)
  }
}

function reportCircle(resolution: Resolution, { document }: Written, circle: readonly string[]): void {
  const message = `"${circle[0]}" is based on itself: ${circle.join(' → ')}`
  resolution.report('of_cycle', message, document.place(['of']), {
    hint: 'leave "of" out where the resource has a table of its own',
  })
}

function reportUnknown(resolution: Resolution, { document }: Written, base: string): void {
  const details = suggestResource(resolution, base)
  resolution.report('unknown_resource', `Unknown resource "${base}"`, document.place(['of']), details)
}

function drop(resolution: Resolution, name: string): void {
  resolution.written.delete(name)
  resolution.unusable.add(name)
}

function merged(resolution: Resolution, written: Written, base: Written): Written {
  const fields = new Map<string, Document<FieldDefinition>>()
  for (const [name, field] of written.fields) {
    const merged = mergedField(resolution, written, base, name, field)
    if (merged !== undefined) fields.set(name, merged)
  }
  const added = new Set(written.added)
  for (const name of base.added) {
    const field = base.fields.get(name)
    if (field === undefined || fields.has(name)) continue
    fields.set(name, field)
    added.add(name)
  }
  const relations = new Map<string, Document<RelationDefinition>>()
  for (const [name, relation] of written.relations) {
    const merged = mergedRelation(resolution, written, base, name, relation)
    if (merged !== undefined) relations.set(name, merged)
  }
  return { ...written, document: inherited(written.document, base.document), fields, relations, added }
}

function mergedField(
  resolution: Resolution,
  written: Written,
  base: Written,
  name: string,
  field: Document<FieldDefinition | null>,
): Document<FieldDefinition> | undefined {
  const under = base.fields.get(name)
  const own = field.value
  if (under !== undefined) {
    refuseOwnersKeys(resolution, field, under, OWNERS_FIELD_KEYS, base.name)
    return layered(field, under)
  }
  if (own !== null && (own.computed !== undefined || own.type === 'count')) return { value: own, place: field.place }
  if (resolution.unusable.has(`${base.name}.${name}`)) return undefined
  const relation = base.relations.has(name) ? `"${name}" is a relation: list it under relations` : undefined
  const details = suggest(name, base.fields.keys())
  resolution.report(
    'unknown_field',
    `"${base.name}" has no field "${name}" that "${written.name}" could take over`,
    field.place([], 'key'),
    {
      ...details,
      ...(relation === undefined ? {} : { hint: relation }),
    },
  )
  return undefined
}

function mergedRelation(
  resolution: Resolution,
  written: Written,
  base: Written,
  name: string,
  relation: Document<RelationDefinition | null>,
): Document<RelationDefinition> | undefined {
  const under = base.relations.get(name)
  const own = relation.value
  if (under !== undefined) {
    refuseOwnersKeys(resolution, relation, under, OWNERS_RELATION_KEYS, base.name)
    return layered(relation, under)
  }
  if (own !== null && own.belongs_to === undefined && Object.keys(own).length > 0)
    return { value: own, place: relation.place }
  if (resolution.unusable.has(`${base.name}.${name}`)) return undefined
  const message = `"${base.name}" has no relation "${name}" that "${written.name}" could take over`
  resolution.report('unknown_field', message, relation.place([], 'key'), suggest(name, base.relations.keys()))
  return undefined
}

function refuseOwnersKeys<T extends object>(
  resolution: Resolution,
  over: Document<T | null>,
  under: Document<T>,
  keys: readonly (keyof T & string)[],
  owner: string,
): void {
  for (const key of keys) {
    const value = over.value?.[key]
    if (value === undefined || value === under.value[key]) continue
    resolution.report('of_mismatch', `"${key}" is decided by "${owner}", whose table this is`, over.place([key]), {
      hint: `leave "${key}" out`,
    })
  }
}

function inherited(
  document: Document<ResourceDefinition>,
  base: Document<ResourceDefinition>,
): Document<ResourceDefinition> {
  const missing = INHERITED.filter((key) => document.value[key] === undefined && base.value[key] !== undefined)
  const value = { ...document.value, ...Object.fromEntries(missing.map((key) => [key, base.value[key]])) }
  const taken: ReadonlySet<string> = new Set(missing)
  return {
    value,
    place: (path, part) => (taken.has(String(path[0])) ? base.place(path, part) : document.place(path, part)),
  }
}
