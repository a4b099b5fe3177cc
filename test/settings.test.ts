/** The environment is read once, completely, and refused in sentences that name the variable. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOG_LEVELS, readSettings, VARIABLES } from '../engine/settings.ts'

const settings = suite('readSettings')

function complaints(env: Record<string, string>): string[] {
  const { value, diagnostics } = readSettings(env)
  assert.is(value, undefined)
  return diagnostics.map((diagnostic) => diagnostic.message)
}

settings('runs on embedded defaults when nothing is set', () => {
  const { value, diagnostics } = readSettings({})
  assert.equal(diagnostics, [])
  assert.equal(value, {
    port: 3000,
    host: '127.0.0.1',
    baseUrl: 'http://127.0.0.1:3000',
    dataDir: './data',
    databaseUrl: undefined,
    databasePool: undefined,
    databaseReplicaUrl: undefined,
    redisUrl: undefined,
    appSecrets: [],
    rateLimit: 60,
    sessionRateLimit: 600,
    authRateLimit: 5,
    trustProxy: 0,
    corsOrigins: [],
    resourcesDir: './resources',
    pluginsDir: './plugins',
    logLevel: 'info',
    production: false,
    metricsToken: undefined,
    shutdownDelay: 0,
    env: {},
  })
})

settings('listens on every interface in production, and is reached as localhost there', () => {
  const { value } = readSettings({ NODE_ENV: 'production', PORT: '8080' })
  assert.is(value?.host, '0.0.0.0')
  assert.is(value?.baseUrl, 'http://localhost:8080')
  assert.is(value?.production, true)
})

settings('takes HOST over the default of production', () => {
  assert.is(readSettings({ NODE_ENV: 'production', HOST: '10.0.0.7' }).value?.host, '10.0.0.7')
  assert.is(readSettings({ HOST: '::1' }).value?.baseUrl, 'http://[::1]:3000')
})

settings('takes the public address as given, without the slash at its end', () => {
  assert.is(readSettings({ BASE_URL: 'https://desk.example.com/' }).value?.baseUrl, 'https://desk.example.com')
})

settings('reads lists at their commas', () => {
  const first = 'correct horse battery staple and more'
  const second = '6f1d2c8b90ae47535f0b9ce2a71d84e3'
  const { value } = readSettings({
    APP_SECRET: `${first}, ${second}`,
    CORS_ORIGIN: 'https://a.example,http://b.example:8080',
  })
  assert.equal(value?.appSecrets, [first, second])
  assert.equal(value?.corsOrigins, ['https://a.example', 'http://b.example:8080'])
})

settings('counts an empty variable as not set', () => {
  const { value } = readSettings({ PORT: '', DATABASE_URL: ' ', APP_SECRET: '' })
  assert.is(value?.port, 3000)
  assert.is(value?.databaseUrl, undefined)
  assert.equal(value?.appSecrets, [])
})

settings('keeps the whole environment for plugins, frozen', () => {
  const { value } = readSettings({ SMTP_URL: 'smtp://localhost' })
  assert.is(value?.env.SMTP_URL, 'smtp://localhost')
  assert.ok(Object.isFrozen(value))
  assert.ok(Object.isFrozen(value?.env))
})

type Bad = readonly [variable: string, value: string, allowed: string]

const SECRETS = 'secrets of at least 32 characters that do not repeat a word, separated by commas'

const BAD: readonly Bad[] = [
  ['PORT', '65536', 'a whole number from 0 to 65535'],
  ['PORT', '-1', 'a whole number from 0 to 65535'],
  ['PORT', '3000.5', 'a whole number from 0 to 65535'],
  ['PORT', '0x10', 'a whole number from 0 to 65535'],
  ['BASE_URL', 'desk.example.com', 'a URL that starts with http:// or https://'],
  ['DATABASE_URL', 'mysql://localhost/desk', 'a URL that starts with postgres:// or postgresql://'],
  [
    'DATABASE_URL',
    'postgres://me:p@ss/w@db/desk',
    'a URL that starts with postgres:// or postgresql://, with "@", "/", "?" and "#" in its password written as %40, %2F, %3F and %23',
  ],
  ['REDIS_URL', 'localhost:6379', 'a URL that starts with redis:// or rediss://'],
  ...['short', '6f1d2c8b90ae47535f0b9ce2a71d84e3,short', 'a'.repeat(64), 'secret'.repeat(6)].map((value): Bad => {
    return ['APP_SECRET', value, SECRETS]
  }),
  ...['changeme-changeme-changeme-changeme', 'secret1secret2secret3secret4secret5secret6'].map((value): Bad => {
    return ['APP_SECRET', value, SECRETS]
  }),
  ['RATE_LIMIT', '0', 'a whole number from 1 to 1000000000'],
  ['AUTH_RATE_LIMIT', 'many', 'a whole number from 1 to 1000000000'],
  ['TRUST_PROXY', 'true', 'a whole number from 0 to 10'],
  [
    'CORS_ORIGIN',
    'https://a.example/path',
    'origins such as https://desk.example.com without a path, separated by commas, or *',
  ],
  ['CORS_ORIGIN', 'a.example', 'origins such as https://desk.example.com without a path, separated by commas, or *'],
  ['LOG_LEVEL', 'loud', `one of ${LOG_LEVELS.join(', ')}`],
]

for (const [variable, value, allowed] of BAD) {
  settings(`refuses ${variable}=${value} with its name and what is allowed`, () => {
    assert.equal(complaints({ [variable]: value }), [`The environment variable ${variable} must be ${allowed}.`])
  })
}

settings('reports every bad variable at once', () => {
  assert.is(complaints({ PORT: 'x', LOG_LEVEL: 'y', RATE_LIMIT: 'z' }).length, 3)
})

settings('never repeats a value, which may be a secret', () => {
  const said = JSON.stringify(
    readSettings({ DATABASE_URL: 'mysql://root:hunter2@db/desk', APP_SECRET: 'hunter2' }).diagnostics,
  )
  assert.not.match(said, 'hunter2')
})

settings('refuses a replica without the database it replicates', () => {
  assert.equal(complaints({ DATABASE_REPLICA_URL: 'postgres://replica/desk' }), [
    'DATABASE_REPLICA_URL is set, but DATABASE_URL is not.',
  ])
})

settings('names in VARIABLES exactly what the code reads', () => {
  const code = readFileSync(new URL('../engine/settings.ts', import.meta.url), 'utf8')
  const read = [...code.matchAll(/\bread\('([A-Z_]+)'/g)].map((match) => match[1] ?? '')
  assert.equal([...new Set(read)].sort(), Object.keys(VARIABLES).sort())
})

settings.run()
