/**
 * The transform for `attachments: true`: gives the records of a resource files, for people who may see or change the
 * record.
 */
import {
  type ApplicationDefinition,
  type FilterDefinition,
  isObject,
  type JsonObject,
  type RelationDefinition,
  type ResourceDefinition,
  singular,
} from '../../engine/index.ts'

const MEDIA = 'media'
/** The relation to the sender of a file. */
const SENDER = 'user'
const SHOWN = ['id', 'name', 'size', 'mime_type', 'url']

/** A resource with files, and the relation of a file to it. */
interface Owner {
  readonly resource: ResourceDefinition
  readonly relation: string
}

/**
 * Gives resources their relation to files, and files their relations, policies and address; the YAML of the author
 * wins.
 */
export function attachments(
  resource: ResourceDefinition,
  _options: JsonObject,
  application: ApplicationDefinition,
): ResourceDefinition {
  if (resource.resource === MEDIA) return files(resource, application)
  const media = application.resources.find((one) => one.resource === MEDIA)
  if (resource.attachments !== true || media === undefined) return resource
  const by = relationTo(resource, media)
  const written = resource.relations?.attachments
  const relation = { has_many: MEDIA, by, embed: SHOWN, show: 'single', order: 'id', ...written } as const
  return { ...resource, relations: { ...resource.relations, attachments: relation } }
}

function files(media: ResourceDefinition, { prefix, resources }: ApplicationDefinition): ResourceDefinition {
  const owners = resources
    .filter((resource) => resource.attachments === true && resource.resource !== MEDIA)
    .map((resource) => ({ resource, relation: relationTo(resource, media) }))
  const address = `${prefix}/${media.path ?? MEDIA}/`.replaceAll("'", "''")
  const signed = resources.some(({ resource }) => resource === 'users')
  const relations: Record<string, RelationDefinition> = Object.fromEntries(
    owners.map(({ resource, relation }) => [
      relation,
      { belongs_to: resource.resource, embed: false, on_delete: 'cascade', ...earlier(resource, relation) },
    ]),
  )
  if (signed) relations[SENDER] = { belongs_to: 'users', read_only: true, embed: false, show: 'never' }
  return {
    ...media,
    fields: { ...media.fields, url: { type: 'string', computed: `'${address}' || t.id || '/download'` } },
    relations: { ...relations, ...media.relations },
    policies: { ...policiesOf(owners, signed), ...media.policies },
    ...(media.policies?.create === undefined && {
      hooks: { ...media.hooks, create: [...(media.hooks?.create ?? []), 'media.one_record'] },
    }),
  }
}

/** The relation of a file to a record: the one in media.yaml, or one named after the resource. */
function relationTo({ resource }: ResourceDefinition, media: ResourceDefinition): string {
  const written = Object.entries(media.relations ?? {}).find(
    ([name, { belongs_to: to }]) => to === resource && name !== SENDER,
  )
  return written?.[0] ?? calledAfter(resource)
}

function calledAfter(resource: string): string {
  const name = singular(resource)
  return name === SENDER ? `${name}_record` : name
}

/** A renamed resource had a relation under its earlier name, so the files move along. */
function earlier(
  { resource, renamed_from: before }: ResourceDefinition,
  relation: string,
): Partial<RelationDefinition> {
  if (before === undefined || relation !== calledAfter(resource)) return {}
  const renamed = typeof before === 'string' ? { name: before } : before
  const name = calledAfter(renamed.name)
  return name === relation ? {} : { renamed_from: { ...renamed, name } }
}

/** People who may see a record see its files; people who may change it add, rename and delete them. */
function policiesOf(owners: readonly Owner[], signed: boolean): NonNullable<ResourceDefinition['policies']> {
  const clauses = (policy: 'view' | 'update', extra: (relation: string) => object) =>
    owners.flatMap(({ resource, relation }) =>
      (resource.policies?.[policy] ?? []).map(({ permission, role, who, where }) => ({
        ...(permission !== undefined && { permission }),
        ...(role !== undefined && { role }),
        ...(who !== undefined && { who }),
        where: { all: [{ [`${relation}.id`]: { null: false } }, below(relation, where ?? {})] },
        ...extra(relation),
      })),
    )
  return {
    view: clauses('view', () => ({})),
    // A file belongs to one record for good.
    create: clauses('update', (relation) => ({
      fields: ['name', relation],
      ...(signed && { set: { [SENDER]: '$actor' } }),
    })),
    update: clauses('update', () => ({ fields: ['name'] })),
    delete: clauses('update', () => ({})),
  }
}

/** A condition on a record as one on its files: every path begins with the relation to the record. */
function below(relation: string, filter: FilterDefinition): FilterDefinition {
  const inside = (value: unknown): unknown => (isObject(value) ? below(relation, value as FilterDefinition) : value)
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) => {
      if (key === 'any' || key === 'all') return [key, Array.isArray(value) ? value.map(inside) : value]
      if (key === 'not' || key === 'with_deleted') return [key, inside(value)]
      return [`${relation}.${key}`, ofRecord(relation, value)]
    }),
  ) as FilterDefinition
}

/** The operand of a comparison, at any depth; values of the record become those of the file's record. */
function ofRecord(relation: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^\$record\./, `$record.${relation}.`)
  if (Array.isArray(value)) return value.map((one) => ofRecord(relation, one))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, ofRecord(relation, one)]))
}
