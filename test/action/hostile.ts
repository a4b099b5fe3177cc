/** What hostile tests share: texts that break naive servers, a call that must survive, and the state that must stay. */
import * as assert from 'uvu/assert'
import { send } from '../support/application.ts'
import { type Library, STAFF } from './library.ts'

export const TEXTS = [
  "'",
  '"',
  '\\',
  "\\'",
  '`',
  ';',
  '--',
  '/*',
  '$1',
  '$$',
  '?',
  ':x',
  '%',
  '_',
  '{}',
  '{1,2}',
  '[]',
  'null',
  'NaN',
  'Infinity',
  '-0',
  "' or '1'='1",
  "'; drop table books; --",
  '1) or (1=1',
  '1; select pg_sleep(5)',
  'id) desc nulls first; --',
  't.id',
  'deleted_at',
  'password',
  'pin',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  '\r\nX-Injected: 1',
  '\u202e',
  '\ufeff',
  '\uffff',
  '🙂'.repeat(20),
  'x'.repeat(3000),
  ','.repeat(300),
  '['.repeat(100),
  '9'.repeat(500),
  '1e309',
  '0x10',
  '2026-02-30',
  '+275760-09-13T00:00:00Z',
  '0000-00-00',
] as const

export const TABLES = ['books', 'shelves', 'members', 'reviews', 'tags', 'loans', 'notes', 'events']

/** What the tables are: their columns, and the seeded rows that nothing here may touch. */
export async function state(app: Library): Promise<string> {
  const { adhoc } = app.engine.database
  const columns = await adhoc.run(
    {
      text: "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
    },
    [],
  )
  const members = await adhoc.run({ text: "select id, name, email from members where name = 'Ann' order by id" }, [])
  return JSON.stringify([columns, members])
}

/** Asks, and fails on a 5xx or an answer that shows the insides. Past the contract's check, for there are thousands. */
export async function survives(
  app: Library,
  method: string,
  path: string,
  body?: unknown,
  token = STAFF,
): Promise<void> {
  const answer = await send(app.address, method, path, { token, ...(body === undefined ? {} : { body }) })
  assert.ok(
    answer.status < 500,
    `${method} ${path.slice(0, 300)} ${JSON.stringify(body)?.slice(0, 300)}: ${answer.text}`,
  )
  assert.not.match(answer.text, /syntax error|SQLSTATE|column .* does not exist|at \S+\.ts/)
  assert.not.ok('x-injected' in answer.headers)
}
