/** The JSON Schema of what screens show, and its types: views, layout, buttons, widgets of fields, and `console` of app.yaml. */
import type { JsonObject, JsonSchema } from '../json.ts'
import { either, key, list, map, NAME, named, PATH, ref, SORT, SWITCH, TEXT } from './word-schema.ts'

/** The pictures that the console has. */
export const ICONS =
  'archive arrow bell book box briefcase building calendar chart chat check clock cloud coin database document envelope eye file flag folder gear gift globe graph heart home image inbox key label link list lock map note people person phone pin plug question send shield star table task ticket tool trash truck video wallet warning'.split(
    ' ',
  )

/** The editors besides the usual one of a type, each with the types of fields that it is for. */
export const WIDGETS: Readonly<Record<string, readonly string[]>> = {
  stars: ['integer'],
  progress: ['integer', 'decimal'],
  duration: ['integer', 'decimal'],
  radio: ['enum'],
  switch: ['boolean'],
  lines: ['string'],
  code: ['string', 'text', 'json'],
}

export const VIEW_KINDS = ['list', 'board', 'calendar', 'figures'] as const
/** A kind of views; others than these are drawn by plugins. */
export type ViewKind = (typeof VIEW_KINDS)[number]

/** One figure on a screen: what is drawn, of what. */
export interface TileDefinition {
  readonly number?: string
  readonly bars?: string
  readonly line?: string
  readonly table?: string
  readonly by?: string | readonly string[]
  readonly where?: JsonObject
  readonly label?: string
  readonly as?: 'number' | 'duration' | 'percent'
  readonly from?: string
  readonly at?: string
}

export interface ViewDefinition {
  readonly label?: string
  readonly icon?: string
  readonly like?: string
  readonly as?: string
  readonly where?: JsonObject
  readonly columns?: readonly string[]
  readonly sort?: string | readonly string[]
  readonly count?: boolean
  readonly for?: readonly {
    readonly permission?: string
    readonly role?: string | readonly string[]
    readonly who?: 'anyone' | 'signed_in'
  }[]
  readonly by?: string
  readonly card?: readonly string[]
  readonly at?: string
  readonly from?: string
  readonly until?: string
  readonly title?: string
  readonly color?: string
  readonly rows?: string
  readonly over?: string
  readonly tiles?: readonly TileDefinition[]
}

/** A part of a record's screen: a name, names side by side, or a block. */
export type BlockDefinition =
  | string
  | readonly string[]
  | {
      readonly label?: string
      readonly fields?: readonly string[]
      readonly thread?: readonly string[]
      readonly write?: { readonly [list: string]: readonly string[] }
      readonly texts?: string
      readonly list?: string
      readonly when?: JsonObject
    }

export interface LayoutDefinition {
  readonly form?: readonly (string | readonly string[])[]
  readonly record?: { readonly [column in 'main' | 'side' | 'below']?: readonly BlockDefinition[] }
}

export interface ButtonDefinition {
  readonly label?: string
  readonly icon?: string
  readonly key?: string
  readonly when?: JsonObject
  readonly set?: JsonObject
  readonly create?: { readonly [list: string]: readonly string[] }
  readonly calls?: string
  readonly choose?: { readonly [input: string]: string }
  readonly many?: boolean
}

export interface ConsoleDefinition {
  readonly home?: { readonly [role: string]: string }
  readonly menu?: { readonly [group: string]: readonly string[] }
  readonly accent?: string
}

const ICON = key('The picture next to the name.', 'ticket', { enum: ICONS })
const WHEN = key('It is shown only where the record is so.', { assignedTo: null }, ref('condition'))
const NAMES: JsonSchema = { ...list(NAME), minItems: 1 }
const PATHS: JsonSchema = { ...list(PATH), minItems: 1 }

/** What a figure is of: `count`, `avg of price`, or `median of created_at..closed_at`. */
const MEASURE: JsonSchema = {
  type: 'string',
  pattern:
    '^([A-Za-z][A-Za-z0-9_]*|(sum|avg|median|min|max|distinct) of [A-Za-z][A-Za-z0-9_]*(\\.\\.[A-Za-z][A-Za-z0-9_]*)?)$',
  'x-expects': 'count, or such as avg of price',
}
const MEASURES: Readonly<Record<string, string>> = {
  number: 'One number, with the change to the period before.',
  bars: 'A bar for each group.',
  line: 'A line over time.',
  table: 'A row for each group.',
}
const GROUP: JsonSchema = {
  type: 'string',
  pattern: '^((hour|day|week|month|quarter|year) of )?[A-Za-z][A-Za-z0-9_]*$',
  'x-expects': 'a field, or such as day of created_at',
}

const TILE = map({
  ...Object.fromEntries(Object.entries(MEASURES).map(([word, meaning]) => [word, key(meaning, 'count', MEASURE)])),
  by: key(
    'The groups: fields of `summary`, a moment by hour, day, week, month or year.',
    'day of created_at',
    either(GROUP, { ...list(GROUP), minItems: 1, maxItems: 2 }),
  ),
  where: key('Only records that are so.', { kind: 'novel' }, ref('condition')),
  label: key('The name for people.', 'New', TEXT),
  as: key('How the number is written.', 'duration', { enum: ['number', 'duration', 'percent'] }),
  from: key("A plugin's route that has the figures, as plugin.route.", 'dashboards.metrics', PATH),
  at: key('With from: where in the answer they are.', 'tickets.open', PATH),
})

export const VIEW_KEYS: Readonly<Record<string, JsonSchema>> = {
  label: key('The name for people.', 'Queue', TEXT),
  icon: ICON,
  like: key(
    'Another view of the resource; this one says only what differs, and the conditions of both hold.',
    'queue',
    NAME,
  ),
  as: key('How records are shown; as a list if absent.', 'board', { enum: [...VIEW_KINDS] }),
  where: key('Which records.', { status: 'open' }, ref('condition')),
  columns: key('The columns of a list.', ['number', 'customer.name'], PATHS),
  sort: key('The order of a list.', ['-created_at'], either(SORT, { ...list(SORT), minItems: 1 })),
  count: key('Whether the menu says how many there are.', true, SWITCH),
  for: key('Who has the view; everybody who sees the resource if absent.', [{ role: 'agent' }], {
    type: 'array',
    items: ref('access'),
    minItems: 1,
  }),
  by: key('Of a board: the enum or relation whose values are the columns.', 'status', NAME),
  card: key('Of a board: what a card shows.', ['number', 'subject'], PATHS),
  at: key('Of a calendar: the day or moment of a record.', 'due_on', NAME),
  from: key('Of a calendar, instead of at: when a record begins.', 'starts_at', NAME),
  until: key('With from: when it ends.', 'ends_at', NAME),
  title: key('Of a calendar: what an entry says; the title of the record if absent.', 'subject', PATH),
  color: key('Of a calendar: the colour of an entry.', 'priority.color', PATH),
  rows: key('Of a calendar: a relation whose record each entry names too.', 'room', NAME),
  over: key('Of figures: the period; figures also say the change to the period before.', 'last 30 days of created_at', {
    type: 'string',
    pattern: '^last [1-9]\\d{0,3} (days|weeks|months|years) of [A-Za-z][A-Za-z0-9_]*$',
    'x-expects': 'a period such as last 30 days of created_at',
  }),
  tiles: key('Of figures: what is drawn.', [{ number: 'count', label: 'New' }], {
    type: 'array',
    minItems: 1,
    maxItems: 24,
    items: TILE,
  }),
}

const BLOCK: JsonSchema = either(
  NAME,
  NAMES,
  map({
    label: key('The heading.', 'Work', TEXT),
    fields: key('Fields and relations.', ['status', 'priority'], NAMES),
    thread: key('Records below, of several relations together, by time.', ['comments', 'messages'], NAMES),
    write: key(
      'With thread: which of the lists below may be written there, with which fields.',
      { comments: ['comment'] },
      {
        ...named(NAMES),
        minProperties: 1,
      },
    ),
    texts: key(
      'With write: a resource whose texts are found by / while something is written, and put in.',
      'replies',
      NAME,
    ),
    list: key('A relation to many records, as a list.', 'lines', NAME),
    when: WHEN,
  }),
)

const COLUMN: JsonSchema = { type: 'array', items: BLOCK, minItems: 1 }

export const LAYOUT_KEYS: Readonly<Record<string, JsonSchema>> = {
  form: key(
    'The order of questions; a list in the list is side by side. Others come after them.',
    ['subject', ['priority', 'category']],
    { type: 'array', items: either(NAME, NAMES), minItems: 1 },
  ),
  record: key(
    'What the screen of a record shows and where.',
    { main: ['details'], side: [{ label: 'Work', fields: ['status'] }] },
    map({
      main: key('The wide column.', ['details', { thread: ['comments'] }], COLUMN),
      side: key('The narrow column.', [{ label: 'Work', fields: ['status'] }], COLUMN),
      below: key('Below both.', ['lines'], COLUMN),
    }),
  ),
}

export const BUTTON_KEYS: Readonly<Record<string, JsonSchema>> = {
  label: key('What the button says.', 'Take it', TEXT),
  icon: ICON,
  key: key('The key of the keyboard.', 'a', {
    type: 'string',
    pattern: '^[a-z0-9]$',
    'x-expects': 'one small letter or digit',
  }),
  when: WHEN,
  set: key('What becomes of the record, in the words of follows.', { status: { slug: 'solved' } }, named({}, PATH)),
  create: key(
    'The lists below in which a record is written first, with the fields that are asked.',
    { comments: ['comment'] },
    {
      ...named(NAMES),
      minProperties: 1,
    },
  ),
  calls: key("A plugin's route, as plugin.route; its input is the form.", 'merging.merge', PATH),
  choose: key(
    'With calls: which of its input are ids, and of what: a resource, or a relation of the record to many.',
    { into: 'tickets' },
    { ...named(NAME), minProperties: 1 },
  ),
  many: key('Whether a list offers it for chosen records too; it then sets, and does nothing else.', true, SWITCH),
}

/** The key `views` with the kinds of views that plugins draw besides. */
export function viewsKey(kinds: readonly string[]): JsonSchema {
  return key(
    'Screens of its records by name: lists, boards, calendars and figures.',
    { queue: { where: { is_open: true }, columns: ['number', 'subject'] } },
    named(map({ ...VIEW_KEYS, as: { ...VIEW_KEYS.as, enum: [...VIEW_KINDS, ...kinds] } })),
  )
}

/** The keys of a resource that screens read. */
export const SCREEN_KEYS: Readonly<Record<string, JsonSchema>> = {
  icon: ICON,
  views: viewsKey([]),
  layout: key(
    'What forms and the screen of a record show, and in which order.',
    { form: ['subject'] },
    {
      ...map(LAYOUT_KEYS),
      minProperties: 1,
    },
  ),
  buttons: key(
    'What people do to a record by one press, by name.',
    { close: { label: 'Close', set: { is_open: false } } },
    named(map(BUTTON_KEYS)),
  ),
}

/** What a field or relation says to screens. */
export const ASKED_KEYS: Readonly<Record<string, JsonSchema>> = {
  help: key('What people read next to the field in a form.', 'How content the customer was', TEXT),
  when: key(
    'Forms and screens have it only where the record is so; the API is not concerned.',
    { kind: 'novel' },
    ref('condition'),
  ),
}

export const WIDGET: JsonSchema = key('The editor, if it is not the usual one of the type.', 'stars', TEXT)

const SCREEN: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)?$',
  'x-expects': 'a resource, or a view such as tickets/queue',
}

/** The key `console` of app.yaml. */
export const CONSOLE: JsonSchema = map({
  home: key(
    'The first screen, by role; `any` is for everybody else.',
    { agent: 'tickets/queue', any: 'tickets' },
    {
      ...named(SCREEN, TEXT),
      minProperties: 1,
    },
  ),
  menu: key(
    'The menu: headings with resources or views. If absent, all lists by the alphabet.',
    { Work: ['tickets'] },
    {
      ...named({ ...list(SCREEN), minItems: 1 }, TEXT),
      minProperties: 1,
    },
  ),
  accent: key('The colour of buttons and marks, which must differ enough from white and from black.', '#1d4ed8', {
    type: 'string',
    pattern: '^#[0-9a-f]{6}$',
    'x-expects': 'a colour such as #1d4ed8',
  }),
})

/** Keys of a view that belong to a kind of view; the others are for every kind. */
export const KEYS_OF_KINDS: Readonly<Record<ViewKind, readonly string[]>> = {
  list: ['columns', 'sort', 'count'],
  board: ['by', 'card', 'sort', 'count'],
  calendar: ['at', 'from', 'until', 'title', 'color', 'rows'],
  figures: ['over', 'tiles'],
}

/** The keys of a kind of views; those that a plugin draws may have all but those of figures. */
export function keysOfKind(kind: string): readonly string[] {
  const { figures: _, ...others } = KEYS_OF_KINDS
  return Object.hasOwn(KEYS_OF_KINDS, kind) ? KEYS_OF_KINDS[kind as ViewKind] : Object.values(others).flat()
}
