/** The JSON Schema of app.yaml and of resource files: `check` judges by it, and editors complete from it. */
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Vocabulary } from './definition.ts'
import { fieldDefinitions } from './field-schema.ts'
import { CHANGED_POLICIES, FILTER_DEFINITIONS, POLICIES } from './filter-schema.ts'
import { LIST_KEYS } from './list-schema.ts'
import { RELATION_DEFINITIONS } from './relation-schema.ts'
import { AUTOMATIONS, automationSchema, FOLLOWS, MOVE_KEYS, RULES, SHOW_MOVES } from './rule-schema.ts'
import { CONSOLE, SCREEN_KEYS, viewsKey } from './screen-schema.ts'
import { earlierName, either, key, list, map, NAME, named, PATH, ref, SPAN, SWITCH, TEXT } from './word-schema.ts'
import { LANGUAGES } from './words-schema.ts'

const HOURS: JsonSchema = {
  type: 'string',
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d-(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
  'x-expects': 'a begin and an end, such as 09:00-17:00',
}

const DAYS: JsonSchema = {
  type: 'string',
  pattern: '^(mon|tue|wed|thu|fri|sat|sun)(-(mon|tue|wed|thu|fri|sat|sun))?$',
  'x-expects': 'a day or days, such as sat or mon-fri',
}

const HOLIDAY: JsonSchema = {
  type: 'string',
  pattern: '^(\\d{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  'x-expects': 'a day such as 2026-12-24, or 12-24 for every year',
}

const CALENDARS: JsonSchema = named(
  map(
    {
      zone: key('The time zone of the hours.', 'Europe/Berlin', TEXT),
      hours: key(
        'When people work, by day of the week; other days are free.',
        { 'mon-fri': '09:00-17:00', sat: ['09:00-12:00', '13:00-15:00'] },
        { ...named(either(HOURS, { ...list(HOURS), minItems: 1 }), DAYS), minProperties: 1 },
      ),
      holidays: key('Days without work: one day, or a day of every year.', ['2026-04-03', '12-25'], list(HOLIDAY)),
    },
    ['zone', 'hours'],
  ),
)

const DRAFT = 'http://json-schema.org/draft-07/schema#'

const ACTIONS = ['list', 'get', 'create', 'update', 'delete', 'restore'] as const

/** `settings/statuses`: words between slashes, none at the ends. */
const URL_PATH: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$',
  'x-expects': 'words between slashes, such as settings/statuses',
}

const ID_TYPE: JsonSchema = { enum: ['integer', 'bigint', 'uuid', 'string'] }

const ID_KEYS: Readonly<Record<string, JsonSchema>> = {
  type: key('integer, bigint, uuid, or string for words that the creator of a record chooses.', 'bigint', ID_TYPE),
  column: key('The column of the id, if its name is not id.', 'film_id', NAME),
  column_type: key(
    'The type of the column of an existing table, where ids of the type string are an enum or a citext of the database.',
    'citext',
    TEXT,
  ),
  values: key('With the enum of an existing table as column_type: its words.', ['EUR', 'USD'], {
    type: 'array',
    minItems: 1,
    maxItems: 200,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 100 },
  }),
  chosen: key('For an existing table without a counter of ids: the creator of a record chooses its id.', true, SWITCH),
}

const IDENTITY: Readonly<Record<string, JsonSchema>> = {
  resource: key('The name of the resource, plural; also its table and path if they are not given.', 'tickets', NAME),
  label: key(
    'The name of one record for people, "Ticket not found", or of one and of many.',
    { one: 'Person', many: 'People' },
    either(
      TEXT,
      map(
        {
          one: key('The name of one record.', 'Person', TEXT),
          many: key('The name of many; the English plural of one where label is a text.', 'People', TEXT),
        },
        ['one', 'many'],
      ),
    ),
  ),
  title: key(
    'What names a record for people, as in a list of choices: fields, or paths over to-one relations. If absent, the first text that lists show.',
    ['number', 'subject'],
    either(PATH, { ...list(PATH), minItems: 1, maxItems: 4 }),
  ),
  description: key('What the resource is, for the reference.', 'A request of a customer.', TEXT),
  path: key(
    'The path below the prefix; if absent, the name with - for _: booking_lines is at /booking-lines.',
    'settings/statuses',
    URL_PATH,
  ),
  table: key('The table, if its name is not that of the resource.', 'desk_tickets', NAME),
  existing: key('The table exists already, and is never changed.', true, SWITCH),
  id: key('The type of the ids; integer if absent.', 'uuid', either(ID_TYPE, map(ID_KEYS))),
  renamed_from: earlierName(
    'The name that the resource had before; its data moves along, and clients may use it still.',
    'issues',
  ),
  of: key('This resource is a part of the table of another one.', 'users', NAME),
  where: key(
    'Which records of that table belong to this resource; new ones get these values.',
    { 'role.slug': 'customer' },
    ref('condition'),
  ),
  lookup: key('What the {id} of a path may be, each also by its name, `slug:open`; `id` if absent.', ['id', 'uid'], {
    ...list(NAME),
    minItems: 1,
  }),
  conceal: key(
    'Records that the caller may not see answer 404 instead of 403, whatever is asked of them.',
    true,
    SWITCH,
  ),
}

const CONTENT: Readonly<Record<string, JsonSchema>> = {
  fields: key(
    'The fields, in the order of answers.',
    { subject: { type: 'string' } },
    {
      ...named(ref('field')),
      maxProperties: LIMITS.fieldsPerResource,
      'x-losses': true,
    },
  ),
  relations: key(
    'The relations to other resources.',
    { status: { belongs_to: 'statuses' } },
    {
      ...named(ref('relation')),
      'x-losses': true,
    },
  ),
}

const WRITING: Readonly<Record<string, JsonSchema>> = {
  live: key('Which records exist for callers; the others answer 404.', { deleted_at: null }, ref('condition')),
  delete_sets: key('What delete sets instead of removing the row.', { deleted_at: '$now' }, named({}, PATH)),
  restore_sets: key('What restore sets.', { deleted_at: null }, named({}, PATH)),
  update_sets: key('What an update that changes something sets too.', { updated_at: '$now' }, named({}, PATH)),
  actions: key('The routes of the resource; all but restore if absent.', ['list', 'get'], list({ enum: [...ACTIONS] })),
  nested: key(
    'Routes below another record, by relation: /tickets/{id}/comments.',
    { ticket: { path: 'comments', actions: ['list', 'create'] } },
    named(
      map(
        {
          path: key('The last part of the path; the path of the resource if absent.', 'comments', URL_PATH),
          actions: key('What may be done there.', ['list', 'create'], {
            ...list({ enum: ['list', 'create'] }),
            minItems: 1,
          }),
        },
        ['actions'],
      ),
    ),
  ),
  policies: key('Who may do what; without a clause, nobody.', { view: [{ who: 'signed_in' }] }, POLICIES),
  rules: key(
    'What must hold for every record, by name; a write that breaks a rule is refused with its sentence.',
    {
      ends_after_start: {
        must: { ends_on: { gte: '$record.starts_on' } },
        says: 'The end must not come before the start',
        at: 'ends_on',
      },
    },
    RULES,
  ),
  moves: key(
    'Which value of a field may follow which, and for whom, by field or relation.',
    { status: { by: 'category', allow: [{ from: 'any', to: ['solved', 'closed'], role: 'customer' }] } },
    MOVE_KEYS,
  ),
  show_moves: key('Whether a single answer says in meta.moves which moves its caller may make.', true, SHOW_MOVES),
  follows: key(
    'Values that follow from others, in order: a later entry sees what earlier ones set.',
    [{ when: { 'status.category': 'closed' }, changed: 'status', set: { closed_at: '$now' } }],
    FOLLOWS,
  ),
  automations: key(
    'What happens by itself, by name: after a write, at a moment of a record, or on a schedule.',
    { close_solved: { at: 'resolved_at', after: '7 days', set: { status: { slug: 'closed' } } } },
    AUTOMATIONS,
  ),
  hooks: key(
    "Plugins' functions around create, update, delete and restore, as plugin.function; the first is the outermost.",
    { update: ['tickets.stamp_transitions'] },
    map(
      Object.fromEntries(
        ['create', 'update', 'delete', 'restore'].map((action) => [
          action,
          key(`Functions around ${action}, as plugin.function.`, [`tickets.on_${action}`], list(PATH)),
        ]),
      ),
    ),
  ),
  listeners: key(
    "Plugins' listeners to create, update, delete and restore, as plugin.listener, called soon after the commit.",
    { create: ['ai.arrived'] },
    map(
      Object.fromEntries(
        ['create', 'update', 'delete', 'restore'].map((action) => [
          action,
          key(`Listeners to ${action}, as plugin.listener.`, ['ai.arrived'], list(PATH)),
        ]),
      ),
    ),
  ),
  status_codes: key(
    'The status of a success by action, if it is not the usual one.',
    { create: 200 },
    map(
      Object.fromEntries(
        ACTIONS.map((action) => [
          action,
          key(`The status when ${action} succeeds.`, action === 'delete' ? 204 : 200, { enum: [200, 201, 202, 204] }),
        ]),
      ),
    ),
  ),
  seeds: key(
    'Records that exist from the first start on, found again by their key.',
    { key: 'slug', rows: [{ name: 'Open', slug: 'open' }] },
    map(
      {
        key: key(
          'The field or fields by which a seeded record is known.',
          'slug',
          either(NAME, { ...list(NAME), minItems: 1 }),
        ),
        rows: key('The records.', [{ name: 'Open', slug: 'open' }], { type: 'array', items: { type: 'object' } }),
      },
      ['key', 'rows'],
    ),
  ),
  keep: key(
    'How long records are kept; older ones are removed for good by a job. All of them stay if it is absent or false.',
    { for: '90 days', by: 'created_at' },
    either(
      { enum: [false] },
      map(
        {
          for: key('How long: minutes, hours, days, weeks, months or years.', '90 days', SPAN),
          by: key('The timestamp or date that says how old a record is; without a value it stays.', 'created_at', NAME),
        },
        ['for', 'by'],
      ),
    ),
  ),
  log_changes: key('Whether the log of changes has each write, even if no listener needs it.', true, SWITCH),
  batch: key(
    'Whether many records may be written by one request: POST /<path>/batch, PATCH and DELETE by filters, PUT by a unique value; they may if absent.',
    false,
    SWITCH,
  ),
  stream: key('Whether GET /<path>/stream sends changes as they happen, to each reader what it may see.', true, SWITCH),
  cache: key('A small lookup table, kept in memory; every write renews it on all instances.', true, SWITCH),
}

/** The core keys of a resource file, in the order of the reference. */
export const RESOURCE_KEYS: Readonly<Record<string, JsonSchema>> = {
  ...IDENTITY,
  ...CONTENT,
  ...LIST_KEYS,
  ...WRITING,
  ...SCREEN_KEYS,
}

/** The schema of a resource file with the types and keys that plugins add. */
export function resourceSchema(vocabulary: Vocabulary): JsonSchema {
  const contributed = [...vocabulary.keys].map(([name, { plugin, description, schema }]) => [
    name,
    { ...schema, description: `${description} (plugin ${plugin})` },
  ])
  return {
    $schema: DRAFT,
    title: 'A resource of Plinth',
    ...map({ ...RESOURCE_KEYS, views: viewsKey(vocabulary.views ?? []), ...Object.fromEntries(contributed) }, [
      'resource',
    ]),
    definitions: {
      ...FILTER_DEFINITIONS,
      ...RELATION_DEFINITIONS,
      automation: automationSchema(vocabulary.actions),
      ...fieldDefinitions(vocabulary.fieldTypes.values()),
    },
  }
}

/** The same for editors: a file that extends another one has words more. */
export function extendingSchema(vocabulary: Vocabulary): JsonSchema {
  const { properties, ...schema } = resourceSchema(vocabulary)
  const known = properties as Readonly<Record<string, JsonSchema>>
  return { ...schema, properties: { ...known, policies: { ...known.policies, ...CHANGED_POLICIES } } }
}

/** The core keys of app.yaml. */
export const APP_KEYS: Readonly<Record<string, JsonSchema>> = {
  name: key('The name of the application.', 'Support Desk', TEXT),
  version: key('The version of the application, for the reference.', '1.0.0', TEXT),
  description: key('What the application is, for the reference.', 'A support desk.', TEXT),
  languages: LANGUAGES,
  extends: key(
    'The application that this one extends: one that a package names, or a folder by its path from this one.',
    'plinth/desk',
    TEXT,
  ),
  without: key(
    'Parts of the application below that this one does not have.',
    ['posts', 'tickets.due_date', 'tickets.rules.closed_means_closed', 'plugins.ai'],
    list(either(TEXT, named({}, TEXT))),
  ),
  prefix: key('The beginning of every path.', '/api/v1', {
    type: 'string',
    pattern: '^(/[A-Za-z0-9._-]+)*$',
    'x-expects': 'a path that starts with "/" and does not end with one',
  }),
  plugins: key('The plugins in use, each with its options.', { timestamps: {}, soft_delete: {} }, { type: 'object' }),
  calendars: key(
    'Working hours, by name, for lengths of time that count only these.',
    { business: { zone: 'Europe/Berlin', hours: { 'mon-fri': '09:00-17:00' } } },
    CALENDARS,
  ),
  limits: key(
    'Limits of the engine, narrowed.',
    { perPageMax: 50 },
    map(
      Object.fromEntries(
        Object.entries(LIMITS).map(([name, most]) => [
          name,
          key(`At most ${most}.`, most, { type: 'integer', minimum: 1, maximum: most }),
        ]),
      ),
    ),
  ),
  on_drift: key(
    'What a start does where an existing table is not as its file describes it: stop, as without the key, or serve_the_rest.',
    'serve_the_rest',
    { enum: ['stop', 'serve_the_rest'] },
  ),
  explain: key(
    'Who may ask for the reason of an answer by the header `Prefer: explain`; nobody if absent.',
    { permission: 'answers.explain' },
    map({ permission: key('The permission that is needed.', 'answers.explain', PATH) }, ['permission']),
  ),
  console: key(
    'The console as a whole: the first screen, the menu and the colour.',
    { home: { any: 'tickets' }, accent: '#1d4ed8' },
    CONSOLE,
  ),
  strictness: key(
    'How strictly requests are read.',
    { unknown_parameters: 'ignore' },
    map({
      unknown_parameters: key('Whether unknown query parameters are refused or ignored.', 'refuse', {
        enum: ['refuse', 'ignore'],
      }),
      unknown_keys: key('Whether unknown keys of a body are refused or ignored.', 'refuse', {
        enum: ['refuse', 'ignore'],
      }),
      malformed_json: key('The status for a body that is no JSON.', 400, { enum: [400, 422] }),
    }),
  ),
}

/** The key `plugins` of app.yaml. The loader says whether there is such a plugin. */
const PLUGINS: JsonSchema = { ...APP_KEYS.plugins, additionalProperties: { type: ['object', 'null'], examples: [{}] } }

/** The schema of app.yaml for editors, with the options of the plugins that are known. */
export function appSchema(vocabulary: Vocabulary): JsonSchema {
  const known = [...vocabulary.plugins].map(([name, { description, options }]) => [
    name,
    { description, anyOf: [{ type: 'null' }, options ?? { type: 'object', additionalProperties: false }] },
  ])
  const plugins: JsonSchema = { ...PLUGINS, properties: Object.fromEntries(known) }
  return { $schema: DRAFT, title: 'An application of Plinth', ...map({ ...APP_KEYS, plugins }, ['name']) }
}

/** Of app.yaml, what is checked before the plugins are there, and all the rest. */
export const PLUGINS_SCHEMA = map({ plugins: PLUGINS }, [])
export const APP_SCHEMA = map({ ...APP_KEYS, plugins: {} }, ['name'])
