/** Rows of PostgreSQL's text become JSON text by the shape they were compiled for. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { WireKind } from '../../engine/field/field-type.ts'
import { compileSerializer, type WireEntry } from '../../engine/field/wire.ts'

const column = (name: string, index: number, wire: WireKind): WireEntry => ({
  name,
  node: { kind: 'column', index, wire },
})
const object = (entries: readonly WireEntry[], present?: number) => ({ kind: 'object' as const, present, entries })

const test = suite('compileSerializer')

test('writes each kind of column as JSON has it', () => {
  const kinds: readonly WireKind[] = ['number', 'string', 'boolean', 'date', 'timestamp', 'json']
  const serialize = compileSerializer(object(kinds.map((kind, i) => column(kind, i, kind))))
  const row = ['7', 'a "b" \\ ü', 't', '2026-01-31', '2026-01-01 10:00:00.12+00', '{"a": [1]}']
  assert.is(
    serialize(row),
    '{"number":7,"string":"a \\"b\\" \\\\ ü","boolean":true,"date":"2026-01-31","timestamp":"2026-01-01T10:00:00.120000Z","json":{"a": [1]}}',
  )
  assert.equal(JSON.parse(serialize(row.map(() => null))), Object.fromEntries(kinds.map((kind) => [kind, null])))
})

test('an embedded record is null where its key is', () => {
  const owner = { name: 'owner', node: object([column('id', 1, 'number'), column('name', 2, 'string')], 1) }
  const serialize = compileSerializer(object([column('id', 0, 'number'), owner]))
  assert.is(serialize(['1', '2', 'Ann']), '{"id":1,"owner":{"id":2,"name":"Ann"}}')
  assert.is(serialize(['1', null, null]), '{"id":1,"owner":null}')
})

test('records without a visible field are still objects', () => {
  assert.is(compileSerializer(object([]))([]), '{}')
  assert.is(compileSerializer(object([], 0))(['1']), '{}')
  assert.is(compileSerializer(object([], 0))([null]), 'null')
})

test('names are JSON too', () => {
  assert.is(compileSerializer(object([column('a"b', 0, 'number')]))(['1']), '{"a\\"b":1}')
})

test.run()
