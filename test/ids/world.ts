/** Three related resources whose ids are of one type, and a way to name one that is not there. */
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'

export type IdType = 'uuid' | 'bigint'

/** The `id` of each resource: one of them stands in a column of another name. */
export function resourcesWith(type: IdType): Readonly<Record<string, string>> {
  const anyone = ['view', 'create', 'update', 'delete'].map((policy) => `  ${policy}: [{ who: anyone }]`)
  const policies = ['policies:', ...anyone]
  return {
    'app.yaml': 'name: Books\nplugins: { timestamps: {}, activity: {}, jobs: {}, csv: {}, who: {} }\n',
    'authors.yaml': [
      'resource: authors',
      `id: { type: ${type}, column: author_no }`,
      'fields:',
      '  name: { type: string, required: true, unique: true }',
      '  books_count: { type: count, of: books }',
      '  pages: { type: integer, computed: { sum: books.pages } }',
      'relations: { books: { has_many: books, with_parent: true, embed: [id, title], show: single } }',
      'search: [name, books.title]',
      'sort: { keys: [id, name], default: name }',
      'activity: true',
      ...policies,
    ].join('\n'),
    'books.yaml': [
      'resource: books',
      `id: ${type}`,
      'stream: true',
      'log_changes: true',
      'activity: true',
      'fields:',
      '  title: { type: string, required: true }',
      '  isbn: { type: string, unique: true }',
      '  pages: { type: integer, default: 1, nullable: false }',
      'relations:',
      '  author: { belongs_to: authors, embed: [id, name], on_delete: cascade }',
      '  tags: { many_to_many: tags, embed: [id, name], show: single }',
      '  sequel_of: { belongs_to: books, embed: [id, title], on_delete: set_null }',
      'filters: { author: author_id, author_id: author_id, writer: author.name, tagged: { tags: { some: { name: { eq: red } } } } }',
      'nested: { author: { path: books, actions: [list, create] } }',
      'search: [title, author.name]',
      'summary: { by: [author], of: [pages] }',
      'rules:',
      '  few_books: { at_most: 50, per: author, says: An author has at most 50 books }',
      '  other_sequel: { must: { any: [{ sequel_of: { null: true } }, { not: { sequel_of: $record.id } }] }, on: [update], holds: when_written, says: A book is no sequel of itself }',
      'csv:',
      '  export: [{ who: anyone }]',
      '  import: [{ who: anyone }]',
      '  columns: { Id: id, Title: title, ISBN: { path: isbn, key: true }, Author: { path: author.name, match: [name] }, Pages: pages }',
      ...policies,
    ].join('\n'),
    'tags.yaml': [
      'resource: tags',
      `id: ${type}`,
      'cache: true',
      'fields: { name: { type: string, required: true } }',
      'relations: { books: { many_to_many: books, embed: false } }',
      ...policies,
    ].join('\n'),
  }
}

export interface Books extends TestApplication {
  make(path: string, body: JsonObject): Promise<string>
  get(path: string): Promise<Answer>
}

export async function openBooks(type: IdType): Promise<Books> {
  const app = await application({ resources: resourcesWith(type), plugins: 'test/support/plugins' })
  return {
    ...app,
    async make(path, body) {
      const answer = await app.call('POST', path, { body })
      if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
      return answer.at('data.id') as string
    },
    get: (path) => app.call('GET', path),
  }
}

/** An id of the type that no record has, and texts that are none. */
export const ABSENT = { uuid: '01900000-0000-7000-8000-000000000000', bigint: '9223372036854775806' } as const
export const MALFORMED = {
  uuid: ['1', '01900000-0000-7000-8000-00000000000', '01900000000070008000000000000000', 'x'],
  bigint: ['0', '-1', '007', '9223372036854775808', '1e3', 'x'],
} as const
/** What an id looks like in JSON. */
export const FORM = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  bigint: /^[1-9]\d*$/,
} as const
