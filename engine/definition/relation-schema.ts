/** The JSON Schema of a relation: three flat schemas, chosen by belongs_to, has_many or many_to_many. */
import type { JsonSchema } from '../json.ts'
import { SEARCHED, SHOW } from './field-schema.ts'
import { ASKED_KEYS } from './screen-schema.ts'
import { earlierName, either, key, map, NAME, PATH, ref, SORT, SWITCH, TEXT } from './word-schema.ts'

const EMBED: JsonSchema = either(
  {
    type: 'array',
    minItems: 1,
    items: either(NAME, {
      type: 'object',
      propertyNames: NAME,
      additionalProperties: PATH,
      minProperties: 1,
      maxProperties: 1,
    }),
  },
  { const: false },
)

const COMMON: Readonly<Record<string, JsonSchema>> = {
  label: key('The name for people, in messages and in the reference.', 'Assigned agent', TEXT),
  description: key('What the relation means, for the reference.', 'The agent who answers.', TEXT),
  ...ASKED_KEYS,
  embed: key(
    'What answers show of the other record: fields, relations with their own embed, or { alias: path }; false: nothing.',
    ['id', 'name', { owner: 'user.name' }],
    EMBED,
  ),
  show: key(
    'Which answers have the relation: always, only single, only list, only if it is asked for, or never.',
    'single',
    SHOW,
  ),
  read: key('Who may read the relation; others do not see it.', { permission: 'users.view' }, ref('access_list')),
}

const MANY: Readonly<Record<string, JsonSchema>> = {
  order: key('The order of the records: a field, with "-" in front for descending.', '-created_at', SORT),
  where: key('Which records belong.', { is_internal: false }, ref('condition')),
}

const JOINING: Readonly<Record<string, JsonSchema>> = {
  table: key('The joining table.', 'film_actor', NAME),
  from: key('Its column with the ids of this resource.', 'film_no', NAME),
  to: key('Its column with the ids of the other one.', 'actor_no', NAME),
}

const BELONGS_TO = map(
  {
    belongs_to: key('The resource that the record points to.', 'statuses', NAME),
    ...COMMON,
    searched: SEARCHED,
    column: key('The foreign key, `<relation>_id` if absent.', 'assigned_to', NAME),
    required: key('A record must name one.', true, SWITCH),
    read_only: key('Never taken from a body; it may be sent back as it was read.', true, SWITCH),
    immutable: key('Set on create and never changed.', true, SWITCH),
    default: key('The record to take if none is named.', { is_default: true }, ref('filter')),
    backfill: key(
      'The record for existing records that name none, when the relation is new or becomes required.',
      { slug: 'open' },
      ref('filter'),
    ),
    where: key('Which records may be chosen.', { 'role.slug': { ne: 'customer' } }, ref('condition')),
    on_delete: key('What happens here when the other record is removed for good.', 'set_null', {
      enum: ['restrict', 'set_null', 'cascade'],
    }),
    write: key('Who may write the relation.', { permission: 'tickets.assign' }, ref('access_list')),
    renamed_from: earlierName(
      'The name that the relation had before; its data moves along, and clients may use it still.',
      'agent',
    ),
  },
  ['belongs_to'],
)

const HAS_MANY = map(
  {
    has_many: key('The resource whose records point here.', 'ticket_comments', NAME),
    ...COMMON,
    ...MANY,
    by: key(
      'The belongs_to relation of the other resource that points here; found if there is just one.',
      'ticket',
      NAME,
    ),
    through: key(
      'A belongs_to relation of the other resource to go through, if it points here only over a third one.',
      'conversation',
      NAME,
    ),
    first: key('Only the first record in `order`, as an object or null.', true, SWITCH),
    with_parent: key('A body that creates a record may create these with it, as a list of their bodies.', true, SWITCH),
    renamed_from: earlierName('The name that the relation had before, which clients may use still.', 'replies'),
  },
  ['has_many'],
)

const MANY_TO_MANY = map(
  {
    many_to_many: key('The resource on the other side; written as a list of ids.', 'labels', NAME),
    ...COMMON,
    ...MANY,
    through: key(
      'The joining table: made by the engine, or that of a resource which belongs to both sides. { table, from, to } names its columns too.',
      'ticket_labels',
      either(NAME, map(JOINING, ['table', 'from', 'to'])),
    ),
    write: key('Who may write the relation.', { permission: 'tickets.assign' }, ref('access_list')),
    renamed_from: earlierName(
      'The name that the relation had before; its data moves along, and clients may use it still.',
      'tags',
    ),
  },
  ['many_to_many'],
)

/** The definition `relation` and its three kinds. */
export const RELATION_DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  belongs_to: { title: 'belongs_to', ...BELONGS_TO },
  has_many: { title: 'has_many', ...HAS_MANY },
  many_to_many: { title: 'many_to_many', ...MANY_TO_MANY },
  relation: {
    description: 'A relation: belongs_to, has_many or many_to_many another resource.',
    examples: [{ belongs_to: 'statuses', embed: ['id', 'name'] }],
    oneOf: [ref('belongs_to'), ref('has_many'), ref('many_to_many')],
  },
}
