/** The key `csv:` of a resource file: its columns, and who may export and import. */
import type { Json, JsonSchema } from '../../engine/index.ts'

/** A column as written: a path, or a path with how the import reads it. */
export interface ColumnDefinition {
  readonly path: string
  readonly match?: readonly string[]
  readonly within?: Readonly<Record<string, string>>
  readonly where?: Readonly<Record<string, string | number | boolean>>
  readonly otherwise?: string
  readonly required?: boolean
  readonly key?: boolean
  readonly keep?: boolean
  readonly elsewhere?: string
  readonly export_only?: boolean
  readonly html?: boolean
  readonly words?: readonly [string, string]
  readonly create?: CreateDefinition
  readonly set?: Readonly<Record<string, string | number | boolean>>
}

/** How an import creates the record that a column names, if there is none. */
export interface CreateDefinition {
  readonly in: string
  readonly from?: Readonly<Record<string, string>>
  readonly ask?: readonly string[]
}

export interface AccessWritten {
  readonly permission?: string
  readonly role?: string | readonly string[]
  readonly who?: 'anyone' | 'signed_in'
}

/** The value of the key after its schema has accepted it. */
export interface CsvDefinition {
  readonly export?: readonly AccessWritten[]
  readonly import?: readonly AccessWritten[]
  readonly ask?: readonly string[]
  readonly columns: Readonly<Record<string, string | ColumnDefinition>>
}

const ACCESS: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: {
      permission: { type: 'string', description: 'Everybody who has the permission.', examples: ['books.export'] },
      role: {
        description: 'Everybody who has the role, or one of several.',
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
      who: { enum: ['anyone', 'signed_in'], description: 'Anyone, or anyone signed in.' },
    },
  },
}

const PATH: JsonSchema = {
  type: 'string',
  description:
    'A field of the record, or of a record it belongs to: `subject`, `status.name`. Over a relation to many, each filled cell becomes a record there: `comments.comment`; a file may have several such columns of one title, and an export has none.',
  examples: ['subject', 'status.name'],
}

const ASK: JsonSchema = {
  type: 'array',
  uniqueItems: true,
  items: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
  description: 'Keys that hooks read of a new record and that are true or false for all rows: options of the import.',
  examples: [['invite']],
}

const COLUMN: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: {
    path: PATH,
    match: {
      type: 'array',
      minItems: 1,
      items: { type: 'string' },
      description: 'By which fields of the other record the import finds it; the one of the path if absent.',
    },
    within: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: { type: 'string' },
      description:
        'Only among records whose field has the value of that field of the row: `{ parent_id: category_id }`.',
    },
    where: {
      type: 'object',
      minProperties: 1,
      maxProperties: 10,
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description: 'Only records whose fields, own or of what they belong to, have these values: `{ status: active }`.',
    },
    otherwise: { type: 'string', description: 'The column that is read where this one is empty.' },
    required: { type: 'boolean', description: 'A file without this column is refused; so is a row without it.' },
    key: {
      type: 'boolean',
      description:
        'Names the record: a row of an existing one is skipped, of a deleted one too, which has an index for that.',
    },
    keep: { type: 'boolean', description: 'The import keeps the value of a field that callers cannot write.' },
    elsewhere: {
      type: 'string',
      description:
        'The field that takes a value which is none of the key’s own, such as the number of another program, and names the record then.',
      examples: ['external_number'],
    },
    export_only: { type: 'boolean', description: 'Written by the export, ignored by the import.' },
    set: {
      type: 'object',
      minProperties: 1,
      maxProperties: 10,
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description: 'What records that the column adds get in addition to its text: `{ is_internal: true }`.',
    },
    html: { type: 'boolean', description: 'The import makes text of HTML.' },
    words: {
      type: 'array',
      minItems: 2,
      maxItems: 2,
      items: { type: 'string' },
      description:
        'The import puts the last word into the second of these fields and those before it into the first, where neither has a value from a column before.',
      examples: [['first_name', 'last_name']],
    },
    create: {
      type: 'object',
      additionalProperties: false,
      required: ['in'],
      properties: {
        in: { type: 'string', description: 'The resource, which has `csv:` itself; the path leads to a column there.' },
        from: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Its other columns, each with the column here that fills it.',
        },
        ask: ASK,
      },
      description:
        'Creates the record where there is none of that name, if the import is asked to by `create_<resource>=true`.',
      examples: [{ in: 'customers', from: { Name: 'Customer Name' } }],
    },
  },
}

export const CSV_KEY: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['columns'],
  properties: {
    export: { ...ACCESS, description: 'Who may export what they may see; nobody if absent.' },
    import: {
      ...ACCESS,
      description: 'Who may import; each row is created as they themselves would. Nobody if absent.',
    },
    ask: ASK,
    columns: {
      type: 'object',
      minProperties: 1,
      maxProperties: 200,
      description: 'Title → column, in the order of the file.',
      additionalProperties: { anyOf: [PATH, COLUMN] },
      examples: [{ Title: 'title', Author: 'author.name' }],
    },
  },
  examples: [{ export: [{ permission: 'books.export' }], columns: { Title: 'title', Author: 'author.name' } }],
}

/** The value of a resource's key; undefined without one. */
export function definitionOf(value: Json | undefined): CsvDefinition | undefined {
  // The schema of the key has judged its shape.
  return value === undefined ? undefined : (value as Json & CsvDefinition)
}

/** The permissions that the key names. */
export function permissionsOf(value: Json): readonly string[] {
  const definition = definitionOf(value)
  return [...(definition?.export ?? []), ...(definition?.import ?? [])].flatMap(({ permission }) => permission ?? [])
}

/** The roles that the key names. */
export function rolesOf(value: Json): readonly string[] {
  const definition = definitionOf(value)
  return [...(definition?.export ?? []), ...(definition?.import ?? [])].flatMap(({ role }) => role ?? [])
}
