/** The JSON Schema of a field: one flat schema for each type, chosen by the word under `type`. */
import type { FieldType } from '../field/field-type.ts'
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { VALUE_WORDS } from './rule-schema.ts'
import { ASKED_KEYS, WIDGET } from './screen-schema.ts'
import { earlierName, either, key, map, NAME, PATH, ref, SWITCH, TEXT } from './word-schema.ts'

/** The key `searched` of fields and relations. */
export const SEARCHED: JsonSchema = key(
  'With show: never: filters, searches and orders may speak of it, so that callers learn of its value by asking.',
  true,
  SWITCH,
)

export const SHOW: JsonSchema = { enum: ['always', 'single', 'list', 'asked', 'never'] }

/** What the records of a relation come to, of those that the caller may see. */
const TOTALS: Readonly<Record<string, JsonSchema>> = {
  count: key('How many there are.', 'lines', NAME),
  sum: key('What a field of theirs adds up to.', 'lines.amount', PATH),
  min: key('The least value of a field of theirs.', 'lines.amount', PATH),
  max: key('The greatest value of a field of theirs.', 'lines.amount', PATH),
  avg: key('The mean of a field of theirs.', 'lines.amount', PATH),
}

/** What a value of other fields may be: the words of what follows. */
const FORMULA: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(VALUE_WORDS).map(([word, description]) => [
    word,
    word === 'text'
      ? key(description, '{{ quantity }} x {{ name }}', TEXT)
      : key(description, ['quantity', 'unit_price'], { type: 'array', minItems: 2, maxItems: LIMITS.formulaParts }),
  ]),
)

/** What every field may say, whatever its type. */
export const FIELD_KEYS: Readonly<Record<string, JsonSchema>> = {
  label: key('The name for people, in messages and in the reference.', 'Due date', TEXT),
  description: key('What the field means, for the reference.', 'The day by which it must be solved.', TEXT),
  ...ASKED_KEYS,
  widget: WIDGET,
  column: key('The column, if its name is not that of the field.', 'due_on', NAME),
  renamed_from: earlierName(
    'The name that the field had before; its data moves along, and clients may use it still.',
    'deadline',
  ),
  required: key('A record must have a value.', true, SWITCH),
  nullable: key('Whether null is stored and answered; a field that is not required is nullable.', false, SWITCH),
  backfill: key(
    'What existing records get instead of null when the field is new or stops being nullable: a value, or one made of other fields.',
    { first: ['$record.name', 'unknown'] },
    {},
  ),
  default: key('The value of a new record that names none.', 'open', {}),
  unique: key(
    'No two live records have the same value; texts that look alike are the same, unless it is `exact`, which compares them sign by sign.',
    true,
    { enum: [true, false, 'exact'] },
  ),
  read_only: key('Never taken from a body; it may be sent back as it was read.', true, SWITCH),
  immutable: key('Set on create and never changed.', true, SWITCH),
  holds: key(
    'Names of this application that are its values, so that a rename carries them over: of resources, events, permissions, or filters and values by names of fields, also of records below.',
    'event',
    { enum: ['resource', 'event', 'permission', 'filter', 'values', 'nested'] },
  ),
  show: key(
    'Which answers have the field: always, only single, only list, only if it is asked for, or never.',
    'single',
    SHOW,
  ),
  searched: SEARCHED,
  computed: key(
    'Instead of a column: SQL over the record `t` (`$actor` is the id of the caller), or { sum: lines.amount }; also min, max, avg, and { count: lines }.',
    "t.first_name || ' ' || t.last_name",
    either(TEXT, { ...map(TOTALS), minProperties: 1, maxProperties: 1 }),
  ),
  stored: key(
    'What the database computes the column from, of other fields of the record.',
    { times: ['quantity', 'unit_price'] },
    { ...map(FORMULA), minProperties: 1, maxProperties: 1 },
  ),
  filled_by: key('The value of a new record that names none is given by a trigger of the existing table.', 'database', {
    enum: ['database'],
  }),
  column_type: key(
    'The type of the column of an existing table, where it is not the one that the type of the field has.',
    'mpaa_rating',
    TEXT,
  ),
  read: key('Who may read the field; others do not see it.', { permission: 'users.view' }, ref('access_list')),
  write: key('Who may write the field.', [{ role: 'admin' }], ref('access_list')),
}

/** The definitions `field` and one `field_<type>` for each type. */
export function fieldDefinitions(types: Iterable<FieldType>): Record<string, JsonSchema> {
  const written = [...types].filter((type) => type.internal !== true)
  const definitions: Record<string, JsonSchema> = {}
  for (const type of written) definitions[`field_${type.name}`] = fieldOfType(type)
  definitions.field = {
    description: 'A field: its type, then what every field may say, then the options of its type.',
    examples: [{ type: 'string', required: true }],
    oneOf: written.map((type) => ref(`field_${type.name}`)),
  }
  return definitions
}

function fieldOfType(type: FieldType): JsonSchema {
  const word: JsonSchema = { const: type.name, description: type.description ?? `The type ${type.name}.` }
  return {
    title: type.name,
    ...map({ type: word, ...FIELD_KEYS, ...type.options }, ['type']),
  }
}
