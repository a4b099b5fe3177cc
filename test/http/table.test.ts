/** Which route answers a path. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compileTable } from '../../engine/http/table.ts'
import { route } from './world.ts'

const handle = async () => ({})
const PATHS = [
  '/users',
  '/users/{id}',
  '/users/pending',
  '/users/pending/{id}/approve',
  '/users/{id}/{part}',
  '/a/{x}/c',
  '/a/b/d',
  '/',
]
const table = compileTable(
  PATHS.map((path) => route({ method: 'GET', path, handle })),
  '/api',
)
const test = suite('http: table')

for (const [path, pattern, values] of [
  ['/api/users', '/api/users', []],
  ['/api/users/5', '/api/users/{id}', ['5']],
  ['/api/users/pending', '/api/users/pending', []],
  ['/api/users/pending/5/approve', '/api/users/pending/{id}/approve', ['5']],
  ['/api/users/pending/5', '/api/users/{id}/{part}', ['pending', '5']],
  ['/api/a/b/c', '/api/a/{x}/c', ['b']],
  ['/api/a/b/d', '/api/a/b/d', []],
  ['/api/users/a%2Fb', '/api/users/{id}', ['a/b']],
] as const) {
  test(`${path} is answered by ${pattern}`, () => {
    const match = table(path)
    assert.is(match?.entry.pattern, pattern)
    assert.equal(match?.values, values)
  })
}

for (const path of ['/api/user', '/api/users/', '/api/users/5/', '/users', '/api/users//x', '', '*', '/api/a/b/x']) {
  test(`${path || '(empty)'} is answered by none`, () => {
    assert.is(table(path), undefined)
  })
}

test('methods of one pattern stand together', () => {
  const both = compileTable(
    [route({ method: 'PUT', path: '/x/{id}', handle }), route({ method: 'DELETE', path: '/x/{key}', handle })],
    '',
  )
  const entry = both('/x/1')?.entry
  assert.equal(entry?.allow, ['DELETE', 'OPTIONS', 'PUT'])
  assert.equal(entry?.methods.get('DELETE')?.names, ['key'])
})

test('an absolute path stands outside the prefix', () => {
  const docs = compileTable([route({ method: 'GET', path: '/docs', absolute: true, handle })], '/api')
  assert.ok(docs('/docs'))
  assert.is(docs('/api/docs'), undefined)
})

test('two routes for one place are a mistake that names both', () => {
  const twice = ['tickets', 'media'].map((plugin) => route({ method: 'GET', path: '/x', handle, plugin }))
  assert.throws(() => compileTable(twice, '/api'), 'GET /api/x is given by both tickets and media')
})

test('finds one of 300 routes in about a microsecond', () => {
  const many = compileTable(
    Array.from({ length: 300 }, (_, i) => route({ method: 'GET', path: `/r${i}/{id}/x`, handle })),
    '/api/v1',
  )
  const rounds = 200_000
  for (let i = 0; i < rounds; i += 1) many('/api/v1/r150/5/x')
  const start = process.cpuUsage()
  for (let i = 0; i < rounds; i += 1) many('/api/v1/r299/5/x')
  const { user, system } = process.cpuUsage(start)
  const each = (user + system) / rounds
  assert.ok(each < 3, `${each} µs`)
})

test.run()
