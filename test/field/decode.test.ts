/** What each type of field takes from a body and what it says when it refuses. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Json, JsonObject } from '../../engine/json.ts'
import { decoded } from './fields.ts'

const test = suite('decode')

type Case = readonly [value: Json, result: Json, own?: JsonObject]

const LONG = 'x'.repeat(256)
const SEND_AS_STRING = '! must be sent as a string to keep all of its digits'
const TIME = '! must be a time with a zone, such as 2026-01-31T09:30:00Z'
const DATE = '! must be a date in the form YYYY-MM-DD'

const CASES: Readonly<Record<string, readonly Case[]>> = {
  string: [
    ['Printer', 'Printer'],
    [LONG, '! must be at most 255 characters'],
    ['😀'.repeat(255), '😀'.repeat(255)],
    ['😀'.repeat(256), '! must be at most 255 characters'],
    ['ab', '! must be at least 3 characters', { min: 3 }],
    ['ab', '! must be at most 1 character', { max: 1 }],
    ['AB-12', 'AB-12', { pattern: '^[A-Z]{2}-[0-9]{2}$' }],
    ['AB-1', '! has an invalid format', { pattern: '^[A-Z]{2}-[0-9]{2}$' }],
    [1, '! must be a string'],
    [['a'], '! must be a string'],
    ['a\0b', '! must not contain null characters'],
    ['a\ud800', '! must be well-formed Unicode text'],
    ['a\nb', '! must be one line of text'],
    ['a\r\nb', '! must be one line of text'],
    ['a\u2028b', '! must be one line of text'],
    ['a\u2029b', '! must be one line of text'],
    ['a\u0085b', '! must be one line of text'],
    ['a\tb', '! must not contain control characters'],
    ['a\u001b[31mb', '! must not contain control characters'],
    ['a\u007fb', '! must not contain control characters'],
    ['a\u009bb', '! must not contain control characters'],
    ['invoice\u202efdp.exe', '! must not contain characters that override the direction of writing'],
    ['a\u2066b', '! must not contain characters that override the direction of writing'],
    ['\u05e9\u05dc\u05d5\u05dd\u200f 1', '\u05e9\u05dc\u05d5\u05dd\u200f 1'],
  ],
  text: [
    ['line\r\n\tline\u2028line \u202e', 'line\r\n\tline\u2028line \u202e'],
    ['a\u0007b', '! must not contain control characters other than line breaks and tabs'],
    ['a\u000cb', '! must not contain control characters other than line breaks and tabs'],
    ['x'.repeat(65_536), '! must be at most 65535 characters'],
    ['x'.repeat(11), '! must be at most 10 characters', { max: 10 }],
  ],
  integer: [
    [5, 5],
    ['5', 5],
    ['-007', -7],
    [-0, 0],
    [1.5, '! must be an integer'],
    ['1.0', '! must be an integer'],
    ['five', '! must be an integer'],
    [true, '! must be an integer'],
    [2_147_483_647, '! must be at most 2147483646'],
    [3_000_000_000, 3_000_000_000, { max: 9_000_000_000 }],
    [0, '! must be between 1 and 5', { min: 1, max: 5 }],
    [6, '! must be between 1 and 5', { min: 1, max: 5 }],
    [0, '! must be at least 1', { min: 1 }],
    [9, '! must be at most 5', { max: 5 }],
  ],
  decimal: [
    ['1.5', '1.50'],
    [1.5, '1.50'],
    ['+0012', '12.00'],
    ['-0.00', '0.00'],
    [0.1, '0.10'],
    [1e-7, '0.0000001000', { scale: 10 }],
    [1e21, '1000000000000000000000', { precision: 30, scale: 0 }],
    ['12345678901234567890.12', '12345678901234567890.12', { precision: 30 }],
    [2 ** 64, SEND_AS_STRING, { precision: 30 }],
    [0.1 + 0.2, SEND_AS_STRING],
    ['1.005', '! must have at most 2 decimal places'],
    ['1.5', '! must not have decimal places', { scale: 0 }],
    ['1.500', '1.50'],
    ['12345678901', '! must have at most 10 digits before the decimal point'],
    ['0.01', '! must be at least 0.02', { min: '0.02' }],
    ['10.01', '! must be at most 10', { max: 10 }],
    ['-3', '! must be at least -2.5', { min: -2.5 }],
    ['1e3', '! must be a number'],
    ['NaN', '! must be a number'],
    ['1,5', '! must be a number'],
    [true, '! must be a number'],
  ],
  boolean: [
    [true, true],
    [0, false],
    ['1', true],
    ['FALSE', false],
    ['yes', '! must be true or false'],
    [2, '! must be true or false'],
  ],
  date: [
    ['2028-02-29', '2028-02-29'],
    ['2026-02-29', DATE],
    ['2026-13-01', DATE],
    ['2026-1-1', DATE],
    ['2026-01-01T00:00:00Z', DATE],
    ['now', DATE],
    ['infinity', DATE],
    [20260101, DATE],
    ['1899-12-31', '! must be a date between 1900-01-01 and 2200-12-31'],
    ['2200-12-31', '2200-12-31'],
  ],
  timestamp: [
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000000Z'],
    ['2026-01-31t09:30:00.12+02:00', '2026-01-31T07:30:00.120000Z'],
    ['2026-01-01T00:30:00.123456+01:00', '2025-12-31T23:30:00.123456Z'],
    ['2025-12-31T23:30-0130', '2026-01-01T01:00:00.000000Z'],
    ['2026-01-01 10:00:00.1234560Z', '2026-01-01T10:00:00.123456Z'],
    ['2026-01-01T10:00:00.1234567Z', '! must have at most six digits after the seconds'],
    ['2026-01-31T09:30:00', TIME],
    ['2026-01-31', TIME],
    ['2026-02-30T09:30:00Z', TIME],
    ['2026-01-01T24:00:00Z', TIME],
    ['2026-01-01T10:60:00Z', TIME],
    ['now', TIME],
    [1_700_000_000, TIME],
    ['1899-12-31T00:00:00Z', '! must be between the years 1900 and 2200'],
  ],
  enum: [
    ['open', 'open', { values: ['open', 'closed'] }],
    ['Open', '! must be one of open, closed', { values: ['open', 'closed'] }],
    [1, '! must be one', { values: ['one'] }],
  ],
  email: [
    ['Ada@Example.ORG', 'ada@example.org'],
    ["o'neil+tag@mail.example.co.uk", "o'neil+tag@mail.example.co.uk"],
    ['jürgen@bücher.example', 'jürgen@bücher.example'],
    ['ju\u0308rgen@xn--bcher-kva.example', 'jürgen@bücher.example'],
    ['\uff21da@Bu\u0308cher.example', 'ada@bücher.example'],
    ...['\u200b', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u034f'].map(
      (sign): Case => [`a${sign}da@b.de`, '! must be a valid email address'],
    ),
    ['ada@xn--\u200b.de', '! must be a valid email address'],
    ...[
      'ada',
      'ada@',
      '@b.c',
      'a@b',
      'a b@c.de',
      'a@b..de',
      'a.@b.de',
      '.a@b.de',
      'a@-b.de',
      'a@b.1',
      'a@b.de,c@d.ef',
      'a@b.de\nBcc: x',
      '<a@b.de>',
    ].map((address): Case => [address, '! must be a valid email address']),
    [`${'a'.repeat(65)}@b.de`, '! must be a valid email address'],
    [`${'a'.repeat(250)}@b.de`, '! must be at most 254 characters'],
  ],
  uuid: [
    ['0190B2C4-7e1f-7a3b-9c5d-0123456789ab', '0190b2c4-7e1f-7a3b-9c5d-0123456789ab'],
    ...[
      '0190b2c47e1f7a3b9c5d0123456789ab',
      '{0190b2c4-7e1f-7a3b-9c5d-0123456789ab}',
      '0190b2c4-7e1f-7a3b-9c5d-0123456789ag',
      'x',
      7,
      true,
      [],
    ].map((value): Case => [value, '! must be a UUID']),
  ],
  bigint: [
    [7, '7'],
    ['0007', '7'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['+9007199254740993', '9007199254740993'],
    ['-0', '0'],
    [-9007199254740991, '-9007199254740991'],
    ...[9007199254740992, -1e18, 1e21].map((value): Case => [value, SEND_AS_STRING]),
    ...['9223372036854775808', '9'.repeat(1000)].map((value): Case => [value, '! must be at most 9223372036854775807']),
    ['-9223372036854775809', '! must be at least -9223372036854775808'],
    ...['1e3', '1.5', 'x', 1.5, true, [], '9'.repeat(1001)].map((value): Case => [value, '! must be an integer']),
  ],
  url: [
    ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ...[
      'example.org',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://',
      'https:///x',
      'ftp://a.b',
      'https://u:p@a.b',
      'http://a b',
      'https://a.b/"x',
    ].map((address): Case => [address, '! must be a valid URL']),
    ['/images/a.png', '! must be a valid URL'],
    ['/images/a.png', '/images/a.png', { relative: true }],
    ['images/..a.png', 'images/..a.png', { relative: true }],
    ...['../a', 'a/../b', 'a/%2e%2e/b', 'a%2f..', '//evil.example', '\\\\evil', 'javascript:alert(1)', 'a b'].map(
      (path): Case => [path, '! must be a valid URL or a relative path without ".."', { relative: true }],
    ),
  ],
  color: [
    ['#f80', '#f80'],
    ['#FF8800', '#FF8800'],
    ...['f80', '#ff88', '#ggg', 'red', '#ff8800;'].map(
      (value): Case => [value, '! must be a color such as #f80 or #ff8800'],
    ),
  ],
  slug: [
    ['in-progress', 'in-progress'],
    ['in_progress2', 'in_progress2'],
    ...['In-Progress', 'a b', '-a', 'a--b', 'é'].map(
      (value): Case => [value, '! must contain only lower-case letters, digits and single hyphens'],
    ),
  ],
  sequence: [
    ['3000000001', '3000000001'],
    [3000000001, '3000000001'],
    ['03', '! must be a string of digits'],
  ],
  list: [
    [['a', ' b '], ['a', 'b'], { of: 'string' }],
    [[], [], { of: 'string' }],
    [['1', 2], [1, 2], { of: 'integer' }],
    [['a', 1], '! 1 must be a string', { of: 'string' }],
    [['a', ''], '! 1 must have a value', { of: 'string' }],
    [[null], '! 0 must have a value', { of: 'string' }],
    [['abc'], '! 0 must be at most 2 characters', { of: 'string', max: 2 }],
    [['a', 'b'], '! must have at most 1 item', { of: 'string', max_items: 1 }],
    [['a'], '! must have at least 2 items', { of: 'string', min_items: 2 }],
    [['a', 'A', 'a'], '! 2 must not repeat another item', { of: 'string', unique_items: true }],
    [['A@B.de', 'a@b.de'], '! 1 must not repeat another item', { of: 'email', unique_items: true }],
    [['x'], '! 0 must be one of a, b', { of: 'enum', values: ['a', 'b'] }],
    ['a', '! must be a list', { of: 'string' }],
    [{ 0: 'a' }, '! must be a list', { of: 'string' }],
    [Array.from({ length: 101 }, () => 'a'), '! must have at most 100 items', { of: 'string' }],
  ],
  json: [
    [{ a: [1, null, 'x'] }, { a: [1, null, 'x'] }],
    [{ 'a\0': 1 }, '! must not contain null characters'],
    [['\udc00'], '! must be well-formed Unicode text'],
    [{ a: 'xxxxxxxxxx' }, '! must be at most 10 bytes of JSON', { max_bytes: 10 }],
    [JSON.parse('['.repeat(40) + ']'.repeat(40)) as Json, '! must be nested at most 32 deep'],
  ],
  secret: [
    [' pass word ', ' pass word '],
    ['short', '! must be at least 8 characters', { min: 8 }],
    [LONG, '! must be at most 255 characters'],
    [12345678, '! must be a string'],
  ],
  reference: [
    [7, 7],
    ['7', 7],
    [2_147_483_648, 0],
    [-1, 0],
    ['abc', '! must be an integer'],
    [1.5, '! must be an integer'],
    [{ id: 1 }, '! must be an integer'],
  ],
  count: [[1, '! can not be written']],
}

for (const [type, cases] of Object.entries(CASES)) {
  for (const [value, result, own] of cases) {
    const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
    test(`${type} ${shown(JSON.stringify(own ?? {}))}: ${shown(JSON.stringify(value))} → ${shown(JSON.stringify(result))}`, () => {
      assert.equal(decoded(type, value, own), result)
    })
  }
}

test.run()
