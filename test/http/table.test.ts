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

test('each of 300 routes is found under its own first segment', () => {
  const many = compileTable(
    Array.from({ length: 300 }, (_, i) => route({ method: 'GET', path: `/r${i}/{id}/x`, handle })),
    '/api/v1',
  )
  for (let i = 0; i < 300; i += 1) assert.is(many(`/api/v1/r${i}/5/x`)?.entry.pattern, `/api/v1/r${i}/{id}/x`)
})

test('a parameter may be the first segment, and gives way to every literal', () => {
  const open = compileTable(
    ['/{page}', '/{page}/{part}', '/users/{id}', '/users/{id}/roles'].map((path) =>
      route({ method: 'GET', path, handle }),
    ),
    '/api',
  )
  const pattern = (path: string) => open(path)?.entry.pattern
  assert.is(pattern('/api/about'), '/api/{page}')
  assert.is(pattern('/api/users'), '/api/{page}')
  assert.is(pattern('/api/users/5'), '/api/users/{id}')
  assert.is(pattern('/api/about/us'), '/api/{page}/{part}')
  assert.is(pattern('/api/about/us/now'), undefined)
})

test('an absolute path with parameters may reach below the prefix', () => {
  const mixed = compileTable(
    [
      route({ method: 'GET', path: '/{space}/users/{id}', absolute: true, handle }),
      route({ method: 'GET', path: '/users/{id}/roles', handle }),
    ],
    '/api',
  )
  assert.is(mixed('/api/users/5')?.entry.pattern, '/{space}/users/{id}')
  assert.is(mixed('/other/users/5')?.entry.pattern, '/{space}/users/{id}')
  assert.is(mixed('/api/users/5/roles')?.entry.pattern, '/api/users/{id}/roles')
})

test('segments are compared decoded, case and all', () => {
  const signs = compileTable(
    ['/a+b/{id}', '/50%/{id}', '/(x)/{id}', '/@me/{id}', '/Docs/{id}'].map((path) =>
      route({ method: 'GET', path, handle }),
    ),
    '/api',
  )
  const found = (path: string) => [signs(path)?.entry.pattern, ...(signs(path)?.values ?? [])]
  assert.equal(found('/api/a+b/c+d'), ['/api/a+b/{id}', 'c+d'])
  assert.equal(found('/api/a%2Bb/c%2Bd'), ['/api/a+b/{id}', 'c+d'])
  assert.equal(found('/api/50%25/%C3%A9%25'), ['/api/50%/{id}', 'é%'])
  assert.equal(found('/api/(x)/email:a@b.c'), ['/api/(x)/{id}', 'email:a@b.c'])
  assert.equal(found('/api/%40me/email%3Aa%40b.c'), ['/api/@me/{id}', 'email:a@b.c'])
  assert.equal(found('/api/docs/5'), [undefined])
  for (const broken of ['/api/Docs/%', '/api/Docs/%00', '/api/Docs/%ff', 'api/Docs/5'])
    assert.is(signs(broken), undefined)
})

test.run()
