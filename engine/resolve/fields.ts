/** Completes fields as written: type, options, default, and what the author left out; and says what to write instead of a wrong value. */
import type { Field } from '../catalog/catalog.ts'
import { fieldLabel } from '../catalog/name.ts'
import { typed } from '../catalog/stored.ts'
import type { Document, FieldDefinition } from '../definition/definition.ts'
import { COLUMN_TYPES, overColumn } from '../field/column-type.ts'
import type { FieldOptions, FieldType } from '../field/field-type.ts'
import { parseRecordOperand } from '../filter/parse-yaml.ts'
import { isName } from '../filter/text-forms.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import { alternatives } from './access.ts'
import { inside, renameOf } from './document-part.ts'
import { type DraftField, type Resolution, suggest } from './resolution.ts'

type Reporter = Pick<Resolution, 'report'>

/** The variables that a default may be, with their moments. */
const MOMENTS: Readonly<Record<string, 'now' | 'today'>> = { $now: 'now', $today: 'today' }

/**
 * The fields of a plugin route's `input` or `query`, completed as those of a resource are.
 * They are written in code, so complaints have no place in a YAML file.
 */
export function resolveFields(
  definitions: Readonly<Record<string, FieldDefinition>>,
  fieldTypes: ReadonlyMap<string, FieldType>,
): Collected<readonly Field[]> {
  const diagnostics: Diagnostic[] = []
  const reporter: Reporter = {
    report: (code, message, _span, details = {}) => void diagnostics.push({ code, message, ...details }),
  }
  const source = { file: 'input', text: '' }
  const fields = Object.entries(definitions).flatMap(([name, value]) => {
    const field = resolveField(reporter, name, { value, place: () => ({ source, start: 0, end: 0 }) }, fieldTypes)
    return field === undefined ? [] : [Object.freeze(field)]
  })
  return diagnostics.length > 0 ? { diagnostics } : { value: Object.freeze(fields), diagnostics }
}

/** One field, complete; undefined (and a complaint) when its type is unknown. */
export function resolveField(
  reporter: Reporter,
  name: string,
  written: Document<FieldDefinition>,
  fieldTypes: ReadonlyMap<string, FieldType>,
): DraftField | undefined {
  const definition = written.value
  const type = typeOf(reporter, written, fieldTypes)
  if (type === undefined) return undefined
  const required = definition.required ?? false
  // A value that the database generates is never null.
  const nullable = !required && type.generated === undefined && (definition.nullable ?? true)
  const options: FieldOptions = { name, required, nullable, own: ownOptions(definition, type) }
  checkOwnOptions(reporter, written, type, options)
  const { relation, total } = totalOf(definition)
  const count = type.name === 'count' && typeof options.own.of === 'string' ? options.own.of : relation
  const derived = definition.computed !== undefined || count !== undefined
  const generated = type.generated?.(options, '') !== undefined
  const moment = momentOf(reporter, written, type)
  return {
    name,
    column: definition.column ?? name,
    ...typed(type, options),
    label: definition.label ?? fieldLabel(name),
    description: definition.description,
    show: type.hidden === true ? 'never' : (definition.show ?? 'always'),
    searched: definition.searched,
    required: required && !derived,
    nullable,
    backfill: backfillOf(reporter, written, type, options),
    default: moment === undefined ? defaultOf(reporter, written, type, options) : undefined,
    defaultMoment: moment,
    filledBy: definition.filled_by,
    // The database generates each value once, so it is unique.
    unique: (definition.unique ?? false) !== false || generated,
    alike: definition.unique === true && isName(type),
    readOnly: (definition.read_only ?? false) || derived || generated || definition.stored !== undefined,
    immutable: definition.immutable ?? false,
    computed: typeof definition.computed === 'string' ? definition.computed.replaceAll('$actor', '{actor}') : undefined,
    count,
    total,
    read: alternatives(reporter, inside(written, ['read'], definition.read)),
    write: alternatives(reporter, inside(written, ['write'], definition.write)),
    relation: undefined,
    renamedFrom: renameOf(definition.renamed_from)?.name,
    holds: definition.holds,
    span: written.place([], 'key'),
  }
}

/** `{ sum: lines.amount }`: the relation, and what becomes of the field of its records. */
function totalOf({ computed }: FieldDefinition): {
  readonly relation?: string
  readonly total?: NonNullable<Field['total']>
} {
  if (computed === undefined || typeof computed === 'string') return {}
  const [word = '', path = ''] = Object.entries(computed)[0] ?? []
  const [relation = '', ...rest] = path.split('.')
  if (word !== 'sum' && word !== 'min' && word !== 'max' && word !== 'avg') return { relation }
  return { relation, total: { by: word, of: rest.join('.') } }
}

function typeOf(
  reporter: Reporter,
  written: Document<FieldDefinition>,
  fieldTypes: ReadonlyMap<string, FieldType>,
): FieldType | undefined {
  const word = String(written.value.type)
  const type = fieldTypes.get(word)
  if (type === undefined) {
    const span = written.place(['type'])
    reporter.report('unknown_word', `Unknown field type "${word}"`, span, suggest(word, fieldTypes.keys()))
  }
  const column = written.value.column_type
  return type === undefined || column === undefined ? type : typeOver(reporter, written, type, column)
}

/** The type over a column of another type; where that is impossible, it is reported, and the field has the type's own column. */
function typeOver(reporter: Reporter, written: Document<FieldDefinition>, type: FieldType, column: string): FieldType {
  const over = overColumn(type, column)
  if (over !== undefined) return over
  const expected = COLUMN_TYPES[type.name]
  const message = `A field of the type ${type.name} cannot have a column of the type "${column}"`
  reporter.report('wrong_option', message, written.place(['column_type']), {
    ...(expected === undefined ? {} : { expected }),
    hint: 'a column of any type can be read: computed: "t.column::text"',
  })
  return type
}

/** The type's own options as written, completed with the defaults of its option schemas. */
function ownOptions(definition: FieldDefinition, type: FieldType): JsonObject {
  const own: Record<string, Json> = {}
  for (const [option, schema] of Object.entries(type.options)) {
    const value = definition[option] ?? schema.default
    if (isJson(value)) own[option] = value
  }
  return Object.freeze(own)
}

const USUAL_HINT = 'change it, or what it contradicts'

/** What to do about an option that cannot work. */
const OPTION_HINTS: Readonly<Record<string, string>> = {
  min: 'write bounds that values of the field can have, "min" below "max"',
  max: 'write bounds that values of the field can have, "min" below "max"',
  max_items: 'write a greater "max_items", or a lower "min_items"',
  min_items: 'write a lower "min_items"',
  scale: 'write a lower "scale", or a greater "precision": it counts all digits',
  pattern: 'write it with groups, alternatives and repetitions, as ^[A-Z]{2}-[0-9]{4}$',
  schema: 'write a JSON Schema, as { type: object, properties: { size: { type: integer } } }',
  values: 'write each word as clients send it',
}

function checkOwnOptions(
  reporter: Reporter,
  written: Document<FieldDefinition>,
  type: FieldType,
  options: FieldOptions,
): void {
  for (const [option, sentence] of Object.entries(type.mistakes?.(options) ?? {})) {
    reporter.report('wrong_option', sentence, written.place([option]), { hint: OPTION_HINTS[option] ?? USUAL_HINT })
  }
}

function momentOf(
  reporter: Reporter,
  written: Document<FieldDefinition>,
  type: FieldType,
): 'now' | 'today' | undefined {
  const value = written.value.default
  const moment = typeof value === 'string' ? MOMENTS[value] : undefined
  if (moment === undefined) return undefined
  if (type.wire === (moment === 'now' ? 'timestamp' : 'date')) return moment
  const fitting = moment === 'now' ? 'timestamp' : 'date'
  reporter.report('wrong_value', `"$${moment}" is a default of ${fitting} fields only`, written.place(['default']), {
    hint: `write type: ${fitting}, or a value of the type ${type.name}`,
  })
  return undefined
}

function defaultOf(
  reporter: Reporter,
  written: Document<FieldDefinition>,
  type: FieldType,
  options: FieldOptions,
): Json | undefined {
  const value = written.value.default
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && MOMENTS[value] !== undefined) return undefined
  const decoded = type.decode(value, options)
  if ('value' in decoded) return decoded.value
  reporter.report('wrong_value', `The default of "${options.name}" ${decoded.error}`, written.place(['default']), {
    hint: adviceFor({ options, type }, value, decoded.error),
  })
  return undefined
}

function backfillOf(
  reporter: Reporter,
  written: Document<FieldDefinition>,
  type: FieldType,
  options: FieldOptions,
): Json | undefined {
  const value = written.value.backfill
  if (value === undefined) return undefined
  const place = written.place(['backfill'])
  if (options.nullable) {
    const hint = 'write nullable: false with it, or leave it out'
    reporter.report('wrong_option', '"backfill" is for a field that is not nullable', place, { hint })
    return undefined
  }
  if (isBackfillFrom(value, type)) return undefined
  const decoded = value === null ? { error: 'must not be null' } : type.decode(value, options)
  if ('value' in decoded) return decoded.value
  reporter.report('wrong_value', `The "backfill" of "${options.name}" ${decoded.error}`, place, {
    hint: adviceFor({ options, type }, value, decoded.error),
  })
  return undefined
}

/** Whether what null becomes is written as a value of other fields, which a later pass links. */
export function isBackfillFrom(value: Json | undefined, type: FieldType): boolean {
  return parseRecordOperand(value ?? null) !== undefined || (isObject(value ?? null) && type.wire !== 'json')
}

function isJson(value: unknown): value is Json {
  return value !== undefined && typeof value !== 'function'
}

/** How a value of each type is written. */
const WRITTEN: Readonly<Record<string, string>> = {
  integer: '7',
  bigint: '"7"',
  reference: '7',
  reference_bigint: '"7"',
  decimal: '"9.50"',
  boolean: 'true or false',
  date: '2026-01-31',
  timestamp: '2026-01-31T09:30:00Z',
  string: '"a text"',
  text: '"a text"',
  secret: '"a text"',
  email: 'ann@example.org',
  url: 'https://example.org/page',
  color: '"#3366cc"',
  slug: 'a-name',
  list: '[a, b]',
  uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
}

/** The variable for the moment at which a record is written. */
const LATEST: Readonly<Record<string, string>> = { date: '$today', timestamp: '$now' }

/** A hint for a value that was refused with `error`. */
export function adviceFor({ options, type }: Pick<Field, 'options' | 'type'>, value: Json, error: string): string {
  const { values } = options.own
  if (Array.isArray(values)) {
    const meant = nearest(String(value), values.map(String))
    return meant === undefined ? 'take one of its words, or add this one to them' : `did you mean "${meant}"?`
  }
  if (error === 'has an invalid format') return `write a text that fits ${String(options.own.pattern ?? 'its form')}`
  const moment = LATEST[type.name]
  if (moment !== undefined && /^(now|today|current_?(timestamp|date|time)|curdate)\b/i.test(String(value)))
    return `write ${moment}`
  const bound = /^must (be|have) at (most|least)/.test(error)
  const example = WRITTEN[type.name]
  if (bound || example === undefined) return 'change the value, or what the field says of its values'
  return `write a value of the field, as ${example}`
}
