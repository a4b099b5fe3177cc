/** Compose: plugins become one set of contributions, in order, each with its plugin's options; clashes are complaints. */
import type { BoundHook } from '../action/execution.ts'
import type { Document, PluginsDefinition } from '../definition/definition.ts'
import { RESOURCE_KEYS } from '../definition/schema.ts'
import type { Vocabulary } from '../definition/vocabulary.ts'
import { FIELD_TYPES } from '../field/index.ts'
import type { Route } from '../http/route.ts'
import type { JobContribution } from '../job/job.ts'
import { everyMs } from '../job/schedule.ts'
import type { JsonObject } from '../json.ts'
import type { Extensions } from '../resolve/extensions.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { checkOptions } from './options.ts'
import { orderPlugins } from './order.ts'
import type { Authenticate, CommandContribution, HookContribution, Identify, Plugin, ResourceRoutes } from './plugin.ts'
import { TIDY } from './tidy.ts'

/** One contribution with the plugin it is from and that plugin's options. */
export interface Bound<T> {
  readonly plugin: string
  readonly options: JsonObject
  readonly value: T
}

export interface Composition {
  /** In order. */
  readonly plugins: readonly Plugin[]
  /** What the language gains. */
  readonly vocabulary: Vocabulary
  /** What the catalog's passes need. */
  readonly extensions: Extensions
  /** By full name, `<plugin>.<name>`. */
  readonly hooks: ReadonlyMap<string, BoundHook>
  readonly routes: readonly Bound<Route>[]
  readonly resourceRoutes: readonly Bound<ResourceRoutes>[]
  /** By full name, `<plugin>.<name>`. */
  readonly jobs: ReadonlyMap<string, Bound<JobContribution>>
  readonly authenticate: Bound<Authenticate> | undefined
  readonly identify: Bound<Identify> | undefined
  readonly start: readonly Bound<NonNullable<Plugin['start']>>[]
  /** Resource files that plugins bring along. */
  readonly resources: readonly Bound<URL>[]
  readonly commands: ReadonlyMap<string, Bound<CommandContribution>>
}

/**
 * Composes plugins with their options as app.yaml has them. There is a value beside complaints too, so that later stages
 * find their own mistakes; nothing may run on it then.
 */
export function compose(
  plugins: readonly Plugin[],
  options: Document<PluginsDefinition>,
): Required<Collected<Composition>> {
  const { value: ordered, diagnostics: circles } = orderPlugins(plugins)
  const checked = ordered.map((plugin) => ({ plugin, ...checkOptions(plugin, options) }))
  const bound: Binder = (pick) =>
    checked.flatMap(({ plugin, options }) =>
      pick(plugin).map((value) => Object.freeze({ plugin: plugin.name, options, value })),
    )
  const clashes: Diagnostic[] = []
  const vocabulary = vocabularyOf(ordered, bound, clashes)
  const { hooks, diagnostics: inputs } = hooksOf(bound, vocabulary)
  const value: Composition = Object.freeze({
    plugins: ordered,
    vocabulary,
    extensions: {
      ...extensionsOf(bound, vocabulary),
      hooks: new Map([...hooks].map(([name, hook]) => [name, hook.input.map((field) => field.name)])),
      permissions: permissionsOf(ordered, clashes),
      accounts: only('accounts', bound, clashes)?.value,
      pluginOptions: new Map(checked.map(({ plugin, options }) => [plugin.name, options])),
    },
    hooks,
    routes: routesOf(bound, clashes),
    resourceRoutes: bound((plugin) => (plugin.resourceRoutes === undefined ? [] : [plugin.resourceRoutes])),
    jobs: jobsOf(bound, clashes),
    authenticate: only('authenticate', bound, clashes),
    identify: only('identify', bound, clashes),
    start: bound((plugin) => (plugin.start === undefined ? [] : [plugin.start])),
    resources: bound((plugin) => plugin.resources ?? []),
    commands: distinct(
      'command',
      bound((plugin) => Object.entries(plugin.commands ?? {})),
      clashes,
    ),
  })
  const missing = ordered.flatMap((plugin) => missingPlugins(plugin, options))
  return {
    value,
    diagnostics: [...missing, ...circles, ...checked.flatMap((one) => one.diagnostics), ...clashes, ...inputs],
  }
}

/** The plugins that one can't do without and app.yaml does not name. */
function missingPlugins({ name, needs = [] }: Plugin, options: Document<PluginsDefinition>): readonly Diagnostic[] {
  return needs
    .filter((needed) => !Object.hasOwn(options.value, needed))
    .map((needed) => ({
      code: 'missing_plugin',
      message: `The plugin "${name}" needs the plugin "${needed}", which is not in use`,
      span: options.place([name], 'key'),
      hint: `write ${needed}: {} beside it`,
    }))
}

/** Picks one kind of contribution from every plugin, in order. */
type Binder = <T>(pick: (plugin: Plugin) => readonly T[]) => readonly Bound<T>[]

const none = (): readonly string[] => []

function extensionsOf(
  bound: Binder,
  vocabulary: Vocabulary,
): Pick<Extensions, 'fieldTypes' | 'specials' | 'keys' | 'transforms' | 'rules'> {
  const specials = bound((plugin) => Object.entries(plugin.specials ?? {}))
  return {
    fieldTypes: vocabulary.fieldTypes,
    specials: new Map(specials.map(({ plugin, value: [name, special] }) => [`${plugin}.${name}`, special.values])),
    keys: new Map(
      [...vocabulary.keys].map(([name, { permissions = none, roles = none }]) => [name, { permissions, roles }]),
    ),
    transforms: bound((plugin) => plugin.transforms ?? []).map(({ value: transform, ...rest }) => ({
      ...rest,
      transform,
    })),
    rules: bound((plugin) => plugin.rules ?? []).map(({ value: rule, ...rest }) => ({ ...rest, rule })),
  }
}

function jobsOf(bound: Binder, diagnostics: Diagnostic[]): ReadonlyMap<string, Bound<JobContribution>> {
  const jobs = bound((plugin) => Object.entries(plugin.jobs ?? {}))
  const named = jobs.map(({ value: [name, value], ...rest }) => [`${rest.plugin}.${name}`, { ...rest, value }] as const)
  for (const [name, { value }] of named) {
    if (value.every === undefined || everyMs(value.every) !== undefined) continue
    const message = `The job "${name}" runs every "${value.every}", which is no length of time`
    diagnostics.push({ code: 'wrong_plugin', message, expected: ['30 minutes', '1 hour', '7 days'] })
  }
  return new Map([...named, [TIDY.name, { plugin: 'plinth', options: {}, value: TIDY.job }]])
}

function routesOf(bound: Binder, clashes: Diagnostic[]): readonly Bound<Route>[] {
  const routes = bound((plugin) => plugin.routes ?? [])
  const named = routes.map((route) => ({
    ...route,
    value: [
      // The same path below the prefix and from the root are two places.
      `${route.value.method} ${route.value.path}${route.value.absolute === true ? ' (from the root)' : ''}`,
      route.value,
    ] as const,
  }))
  distinct('route', named, clashes)
  return routes
}

/** The one contribution of a kind that an application has at most once. */
function only<K extends 'accounts' | 'authenticate' | 'identify'>(
  kind: K,
  bound: Binder,
  clashes: Diagnostic[],
): Bound<NonNullable<Plugin[K]>> | undefined {
  const [first, second] = bound<NonNullable<Plugin[K]>>(({ [kind]: given }) => (given === undefined ? [] : [given]))
  if (first !== undefined && second !== undefined) clashes.push(clash(kind, '', first.plugin, second.plugin))
  return first
}

function clash(kind: string, name: string, first: string, second: string): Diagnostic {
  const what = name === '' ? `"${kind}"` : `the ${kind} "${name}"`
  return {
    code: 'plugin_clash',
    message: `The plugins "${first}" and "${second}" both give ${what}`,
    hint: 'use one of the two',
  }
}

function distinct<T>(
  kind: string,
  named: readonly Bound<readonly [string, T]>[],
  clashes: Diagnostic[],
): ReadonlyMap<string, Bound<T>> {
  const found = new Map<string, Bound<T>>()
  for (const {
    plugin,
    options,
    value: [name, value],
  } of named) {
    const earlier = found.get(name)
    if (earlier === undefined) found.set(name, { plugin, options, value })
    else clashes.push(clash(kind, name, earlier.plugin, plugin))
  }
  return found
}

function hooksOf(bound: Binder, { fieldTypes }: Vocabulary) {
  const contributed = bound((plugin) => Object.entries(plugin.hooks ?? {}))
  const hooks = new Map<string, BoundHook>()
  const diagnostics: Diagnostic[] = []
  for (const {
    plugin,
    options,
    value: [short, given],
  } of contributed) {
    const name = `${plugin}.${short}`
    const hook: HookContribution = typeof given === 'function' ? { run: given } : given
    const input = resolveFields(hook.input ?? {}, fieldTypes)
    diagnostics.push(...input.diagnostics.map((one) => ({ ...one, message: `The hook "${name}": ${one.message}` })))
    hooks.set(
      name,
      Object.freeze({ name, options, input: input.value ?? [], transaction: hook.transaction ?? true, run: hook.run }),
    )
  }
  return { hooks, diagnostics }
}

function vocabularyOf(plugins: readonly Plugin[], bound: Binder, clashes: Diagnostic[]): Vocabulary {
  const keys = bound((plugin) => Object.entries(plugin.keys ?? {}))
  for (const {
    plugin,
    value: [name],
  } of keys) {
    if (Object.hasOwn(RESOURCE_KEYS, name)) clashes.push(clash('key', name, 'plinth', plugin))
  }
  return {
    fieldTypes: new Map(FIELD_TYPES.map((type) => [type.name, type])),
    keys: new Map([...distinct('key', keys, clashes)].map(([name, { plugin, value }]) => [name, { plugin, ...value }])),
    plugins: new Map(plugins.map(({ name, description, options }) => [name, { description, options }])),
  }
}

function permissionsOf(plugins: readonly Plugin[], clashes: Diagnostic[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { name, permissions } of plugins) {
    for (const permission of Object.keys(permissions ?? {})) {
      const earlier = found.get(permission)
      if (earlier === undefined) found.set(permission, name)
      else clashes.push(clash('permission', permission, earlier, name))
    }
  }
  return found
}
