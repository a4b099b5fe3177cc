/** The interface of a field type: one record with its YAML, its column, its JSON and its operators. */
import type { FieldErrorCode } from '../field-error.ts'
import type { Json, JsonObject, JsonSchema } from '../json.ts'

/** The comparison words of filters, in query strings (`field[gte]=`) and in YAML alike. */
export const OPERATORS = [
  'eq',
  'ne',
  'in',
  'not_in',
  'lt',
  'lte',
  'gt',
  'gte',
  'between',
  'contains',
  'starts_with',
  'ends_with',
  'null',
] as const

export type Operator = (typeof OPERATORS)[number]

/**
 * How pg's text of a column becomes JSON: `number` and `json` go through as they are, `boolean` is t or f,
 * `string` is quoted, `date` is quoted without escaping, `timestamp` becomes ISO 8601 UTC with six digits and a Z.
 * The last three are arrays of PostgreSQL.
 */
export type WireKind =
  | 'number'
  | 'string'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'json'
  | 'strings'
  | 'numbers'
  | 'booleans'

/** The options of one field as a field type sees them: what the YAML said, completed with the type's defaults. */
export interface FieldOptions {
  readonly name: string
  readonly required: boolean
  readonly nullable: boolean
  /** The type's own options (max, min, values, of, scale …), checked against the type's `options` schema. */
  readonly own: JsonObject
}

/** Why a value is refused: what completes the sentence "The <field> field …", such as `must be at most 255 characters`. */
export interface Refusal {
  readonly error: string
  /** What it means to programs; `invalid` if absent. */
  readonly code?: FieldErrorCode
  /** The place inside a list or json value, in dot form (`0`, `sizes.2.width`): the error's key is `<field>.<at>`. */
  readonly at?: string
  /** What else is wrong, at other places inside the value. */
  readonly others?: readonly Refusal[]
}

/** A decoded value for the database, or why there is none. */
export type Decoded = { readonly value: Json } | Refusal

/** The range of a filter value that is a plain day, both ends as database values; `before` is exclusive. */
export interface DayRange {
  readonly from: string
  readonly before: string
}

/** One type of field. Contributed by the engine or a plugin; adding one is adding a record to a list. */
export interface FieldType {
  readonly name: string
  /** JSON Schema of each own option the YAML may carry, with a description for editors. */
  readonly options: Readonly<Record<string, JsonSchema>>
  /** What the type is for, in one sentence for editors and the reference. */
  readonly description?: string
  /** Own options that must be there (`values` of an enum). */
  readonly requires?: readonly string[]
  /** Made by the engine alone (reference): no author may write it as a `type`. */
  readonly internal?: boolean
  /** The PostgreSQL column type, exactly as `format_type` would print it, e.g. `character varying(255)`. */
  column(options: FieldOptions): string
  /** The most characters of a stored value, for text that may be too long for an index; absent: always short enough. */
  longest?(options: FieldOptions): number
  /** JSON Schema of the value in answers (null is added by the caller where the field is nullable). */
  schema(options: FieldOptions): JsonSchema
  /** JSON Schema of the value in a body, where bodies may write it in more forms than answers do. */
  input?(options: FieldOptions): JsonSchema
  readonly wire: WireKind
  readonly operators: readonly Operator[]
  /** A trimmed, non-null JSON value of a body → the value to store; refuses with a sentence. Pure. */
  decode(value: Json, options: FieldOptions): Decoded
  /** The text of a query string → the value to compare with; refuses with a sentence. Pure. */
  parse(text: string, options: FieldOptions): Decoded
  /** For types in which one word may mean a range (a day of a timestamp). */
  day?(text: string): DayRange | undefined
  /** Whether a text of a body is kept as it is, neither trimmed nor, where answers show it, null when it is empty. */
  readonly verbatim?: boolean
  /** Whether every value is kept in lower case: it is then found by the index of its column, however a caller writes it. */
  readonly lowered?: boolean
  /** Whether the field may be a sort key without being named so (short scalars). */
  readonly sortable: boolean
  /** Whether filters on the field exist without being named so (enums, booleans, references). */
  readonly filterable?: boolean
  /** A DEFAULT the database itself gives, as SQL (sequence); the field is then read-only. */
  generated?(
    options: FieldOptions,
    table: string,
  ): { readonly default: string; readonly sequence?: { readonly name: string; readonly start: number } }
  /** Whether values of the type never leave the server (secret). */
  readonly hidden?: boolean
  /** Mistakes in the own options that their schemas cannot find (min above max): option → whole sentence. */
  mistakes?(options: FieldOptions): Readonly<Record<string, string>>
}
