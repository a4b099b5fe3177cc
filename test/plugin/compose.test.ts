/** Plugins as one: their order, their options, and what is said when two of them want the same. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PluginsDefinition } from '../../engine/definition/definition.ts'
import { ANONYMOUS, definePlugin, type Plugin } from '../../engine/index.ts'
import type { JsonObject } from '../../engine/json.ts'
import { compose } from '../../engine/plugin/compose.ts'
import type { Authenticate } from '../../engine/plugin/plugin.ts'
import { unwritten } from '../support/options.ts'

const composing = suite('compose')

function plugin(name: string, rest: Partial<Plugin> = {}): Plugin {
  return definePlugin({ name, description: `The plugin ${name}.`, ...rest })
}

function says(plugins: readonly Plugin[], options: PluginsDefinition = {}): readonly string[] {
  return compose(plugins, unwritten(options)).diagnostics.map(({ code, message }) => `${code}: ${message}`)
}

function order(...plugins: readonly Plugin[]): string {
  return compose(plugins, unwritten({}))
    .value.plugins.map(({ name }) => name)
    .join(' ')
}

composing('plugins stand in the order of names, after those they come after', () => {
  assert.is(order(plugin('c'), plugin('a'), plugin('b')), 'a b c')
  assert.is(order(plugin('a', { after: ['c'] }), plugin('b'), plugin('c', { after: ['b'] })), 'b c a')
  assert.is(order(plugin('b', { after: ['not_in_use'] }), plugin('a', { after: ['b'] })), 'b a')
})

composing('a circle is told, and all its plugins stay', () => {
  const circle = [plugin('a', { after: ['b'] }), plugin('b', { after: ['a'] })]
  assert.equal(says(circle), ['plugin_cycle: Plugins that each come after the other: a after b after a'])
  assert.is(order(...circle), 'b a')
})

const OPTIONS = {
  type: 'object',
  properties: {
    days: { type: 'integer', minimum: 1, default: 30 },
    mail: { type: 'object', properties: { from: { type: 'string', default: 'desk' } }, additionalProperties: false },
  },
  additionalProperties: false,
}

composing('options are completed with defaults, nested ones too, and frozen', () => {
  const { value } = compose([plugin('a', { options: OPTIONS })], unwritten({ a: { mail: {} } }))
  const options = value.extensions.pluginOptions.get('a')
  assert.equal(options, { days: 30, mail: { from: 'desk' } })
  assert.ok(Object.isFrozen(options) && Object.isFrozen(options?.mail))
  assert.equal(
    compose([plugin('a', { options: OPTIONS })], unwritten({ a: null })).value.extensions.pluginOptions.get('a'),
    {
      days: 30,
      mail: { from: 'desk' },
    },
  )
})

composing('an option that has to say something is not made of its defaults', () => {
  const link = {
    type: 'object',
    required: ['for'],
    properties: { for: { type: 'string' }, minutes: { type: 'integer', default: 15 } },
  }
  const of = (written: JsonObject) =>
    compose(
      [plugin('a', { options: { type: 'object', properties: { link } } })],
      unwritten({ a: written }),
    ).value.extensions.pluginOptions.get('a')
  assert.equal(of({}), {})
  assert.equal(of({ link: { for: 'all' } }), { link: { for: 'all', minutes: 15 } })
})

composing('a path of a file begins where it is written, and one that is whole stays', () => {
  const file = { type: 'string', format: 'file' }
  const options = { type: 'object', properties: { logo: file, fonts: { type: 'array', items: file } } }
  const written = { a: { logo: 'logo.png', fonts: ['fonts/own.ttf', '/fonts/other.ttf'] } }
  const source = { file: 'desk/resources/app.yaml', text: '' }
  const { value } = compose([plugin('a', { options })], { value: written, place: () => ({ source, start: 0, end: 0 }) })
  assert.equal(value.extensions.pluginOptions.get('a'), {
    logo: 'desk/resources/logo.png',
    fonts: ['desk/resources/fonts/own.ttf', '/fonts/other.ttf'],
  })
})

composing('options are judged by the plugin, also one that takes none', () => {
  assert.equal(says([plugin('a', { options: OPTIONS }), plugin('b')], { a: { days: 0, dayz: 1 }, b: { x: 1 } }), [
    'wrong_value: "days" must be at least 1',
    'unknown_key: Unknown key "dayz"',
    'unknown_key: Unknown key "x"',
  ])
})

composing('hooks get their full name, their options and their input as fields', () => {
  const run = async (_context: unknown, next: () => Promise<void>) => next()
  const { value, diagnostics } = compose(
    [
      plugin('a', {
        options: OPTIONS,
        hooks: { bare: run, full: { input: { again: { type: 'secret', required: true } }, transaction: false, run } },
      }),
    ],
    unwritten({ a: { days: 3 } }),
  )
  assert.equal(diagnostics, [])
  const [bare, full] = [value.hooks.get('a.bare'), value.hooks.get('a.full')]
  assert.equal([bare?.transaction, bare?.input.length, bare?.options.days], [true, 0, 3])
  assert.equal([full?.transaction, full?.input[0]?.name, full?.input[0]?.required], [false, 'again', true])
})

composing('a wrong input of a hook is told with the name of the hook', () => {
  const run = async () => {}
  assert.equal(says([plugin('a', { hooks: { h: { input: { x: { type: 'strnig' } }, run } } })]), [
    'unknown_word: The hook "a.h": Unknown field type "strnig"',
  ])
})

composing('a path below the prefix and the same path from the root are two routes', () => {
  const route = { method: 'GET', path: '/x', summary: 'x', access: 'public', handle: async () => ({}) } as const
  assert.equal(says([plugin('a', { routes: [route, { ...route, absolute: true }] })]), [])
  const twice = plugin('b', { routes: [{ ...route, absolute: true }] })
  assert.equal(says([plugin('a', { routes: [{ ...route, absolute: true }] }), twice]), [
    'plugin_clash: The plugins "a" and "b" both give the route "GET /x (from the root)"',
  ])
})

composing('two plugins never give the same thing', () => {
  const twice: Partial<Plugin> = {
    keys: { audit: { description: 'x', schema: { type: 'boolean' } } },
    permissions: { 'things.see': 'x' },
    accounts: { resource: 'users' },
    commands: { tidy: { description: 'x', run: async () => 0 } },
    routes: [{ method: 'GET', path: '/x', summary: 'x', access: 'public', handle: async () => ({}) }],
  }
  assert.equal(says([plugin('a', twice), plugin('b', twice)]).toSorted(), [
    'plugin_clash: The plugins "a" and "b" both give "accounts"',
    'plugin_clash: The plugins "a" and "b" both give the command "tidy"',
    'plugin_clash: The plugins "a" and "b" both give the key "audit"',
    'plugin_clash: The plugins "a" and "b" both give the permission "things.see"',
    'plugin_clash: The plugins "a" and "b" both give the route "GET /x"',
  ])
  assert.equal(says([plugin('a', { keys: { fields: { description: 'x', schema: {} } } })]), [
    'plugin_clash: The plugins "plinth" and "a" both give the key "fields"',
  ])
})

composing('of several plugins that know callers, the first that knows one answers, with its own options', async () => {
  const knows = (name: string, header: string) =>
    plugin(name, {
      options: { type: 'object', properties: { id: { type: 'integer', default: name === 'a' ? 1 : 2 } } },
      authenticate: async ({ headers, options }) =>
        headers[header] === undefined ? null : { ...ANONYMOUS, kind: 'user', id: Number(options.id) },
    })
  const { value } = compose([knows('b', 'x-b'), knows('a', 'x-a')], unwritten({}))
  const idOf = async (headers: Readonly<Record<string, string>>) => {
    const given: unknown = { headers, options: value.authenticate?.options }
    return (await value.authenticate?.value(given as Parameters<Authenticate>[0]))?.id
  }
  assert.equal(await Promise.all([{ 'x-a': '' }, { 'x-b': '' }, { 'x-a': '', 'x-b': '' }, {}].map(idOf)), [
    1,
    2,
    1,
    undefined,
  ])
})

composing('how often a job runs is a length of time', () => {
  const job = (every: string): Partial<Plugin> => {
    // As a plugin written in JavaScript has it.
    const given = JSON.parse(JSON.stringify({ description: 'x', every }))
    return { jobs: { tidy: { ...given, run: async () => undefined } } }
  }
  assert.equal(says([plugin('a', job('1 hour'))]), [])
  assert.equal(says([plugin('a', job('hourly'))]), [
    'wrong_plugin: The job "a.tidy" runs every "hourly", which is no length of time',
  ])
})

composing('how many of a job run and are taken at once are whole numbers', () => {
  const job = (more: object): Partial<Plugin> => ({
    jobs: { send: { description: 'x', ...more, run: async () => undefined } },
  })
  assert.equal(says([plugin('a', job({ concurrency: 1, prefetch: 0 }))]), [])
  assert.equal(says([plugin('a', job({ concurrency: 0, prefetch: 1.5 }))]), [
    'wrong_plugin: The job "a.send" runs 0 times at once',
    'wrong_plugin: The job "a.send" takes 1.5 more than it runs',
  ])
})

composing('a listener says what it listens to', () => {
  const listener = (given: object): Partial<Plugin> => ({ listeners: { tell: JSON.parse(JSON.stringify(given)) } })
  const nothing = 'wrong_plugin: The listener "a.tell" does not say rightly what it listens to, or has no run'
  for (const given of [
    {},
    { to: {} },
    { to: { notes: [] } },
    { to: { notes: 'create' } },
    { to: { notes: ['create'] } },
  ])
    assert.equal(says([plugin('a', listener(given))]), [nothing], JSON.stringify(given))
  const whole = { description: 'x', to: { notes: ['create'] }, run: async () => undefined } as const
  assert.equal(says([plugin('a', { listeners: { tell: whole } })]), [])
})

composing('an action says which options it takes, and its key is its own', () => {
  const action = (given: object): Partial<Plugin> => ({ actions: { ring: JSON.parse(JSON.stringify(given)) } })
  const half = 'wrong_plugin: The action "a.ring" does not say which options it takes, or has no run'
  for (const given of [{}, { takes: { type: 'object' } }]) assert.equal(says([plugin('a', action(given))]), [half])
  const whole = { description: 'x', takes: { type: 'object' }, run: async () => undefined }
  assert.equal(says([plugin('a', { actions: { ring: whole } })]), [])
  const keyed = (key: string): Partial<Plugin> => ({ actions: { ring: { ...whole, key } } })
  assert.equal(says([plugin('a', keyed('ring')), plugin('b', keyed('ring'))]), [
    'plugin_clash: The plugins "a" and "b" both give the key of automations "ring"',
  ])
  assert.equal(says([plugin('a', keyed('set'))]), [
    'plugin_clash: The plugins "plinth" and "a" both give the key of automations "set"',
  ])
})

composing.run()
