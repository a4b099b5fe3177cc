/** The word that was probably meant. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nearest } from '../../engine/text/nearest.ts'

const test = suite('nearest')

const KNOWN = [
  'required',
  'read_only',
  'renamed_from',
  'unique',
  'description',
  'max',
  'min',
  'id',
  'status_id',
  'createdAt',
]

const CASES: readonly [word: string, meant: string | undefined][] = [
  ['requred', 'required'],
  ['requierd', 'required'],
  ['Required', 'required'],
  ['readonly', 'read_only'],
  ['read-only', 'read_only'],
  ['created_at', 'createdAt'],
  ['uniqe', 'unique'],
  ['maxx', 'max'],
  ['mx', 'max'],
  ['desc', 'description'],
  ['statusid', 'status_id'],
  ['colour', undefined],
  ['x', undefined],
  ['', undefined],
  ['ab', undefined],
  ['completely_different', undefined],
]

for (const [word, meant] of CASES)
  test(`"${word}" means ${meant ?? 'nothing known'}`, () => assert.is(nearest(word, KNOWN), meant))

test('two letters in the wrong order count least', () => assert.is(nearest('lable', ['table', 'label']), 'label'))

test('a word is never its own suggestion', () => assert.is(nearest('max', ['max']), undefined))

test('of several the closest is taken', () => assert.is(nearest('statuss', ['statutes', 'status', 'stars']), 'status'))

test.run()
