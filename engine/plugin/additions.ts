/** What plugins add to the console ⇄: their pages are bundled, and what they say of themselves is read and judged. */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import type { AddedPage, Addition, Additions } from '../catalog/addition.ts'
import { KEYS_OF_KINDS, WIDGETS } from '../definition/screen-schema.ts'
import { sentenceOf } from '../error.ts'
import { FIELD_TYPES } from '../field/index.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { hintOf } from '../text/nearest.ts'
import { clash, distinct } from './bound.ts'
import { type Bundle, bundled } from './bundle.ts'
import type { Plugin } from './plugin.ts'

/** Reading what a page says must not take longer, as where it waits for something at its top. */
const LONGEST_MS = 2_000
const KINDS = ['pages', 'editors', 'blocks', 'views'] as const
const WORD = /^[a-z][a-z0-9_]*$/

type Named = Readonly<Record<string, unknown>>
type Said = Readonly<Record<(typeof KINDS)[number], Named>>

/** What was read of a file last: the same text is the same addition. */
const read = new Map<string, { readonly bundle: string; readonly found: Collected<Addition> }>()

/** Bundles the pages of plugins, and reads what they add; there is none of a plugin with mistakes. */
export async function additionsOf(plugins: readonly Plugin[]): Promise<Required<Collected<Additions>>> {
  const all = await Promise.all(
    plugins.flatMap(({ console, name }) => (console === undefined ? [] : [additionOf(name, console)])),
  )
  const value = new Map(all.flatMap(({ value }) => (value === undefined ? [] : [[value.plugin, value] as const])))
  return { value, diagnostics: all.flatMap(({ diagnostics }) => diagnostics) }
}

async function additionOf(plugin: string, url: URL): Promise<Collected<Addition>> {
  if (!(url instanceof URL) || url.protocol !== 'file:') {
    const message = `"console" of the plugin "${plugin}" is no file`
    return {
      diagnostics: [
        { code: 'wrong_plugin', message, expected: ["new URL('./console.tsx', …) of the plugin's own address"] },
      ],
    }
  }
  const file = fileURLToPath(url)
  const { diagnostics, value: bundle } = await bundled(file)
  if (bundle === undefined) return { diagnostics }
  const text = `${bundle.script}\0${bundle.style}`
  const before = read.get(file)
  if (before?.bundle === text) return before.found
  const found = judged(plugin, relative(process.cwd(), file), bundle)
  read.set(file, { bundle: text, found })
  return found
}

function judged(plugin: string, file: string, bundle: Bundle): Collected<Addition> {
  const diagnostics: Diagnostic[] = []
  const wrong = (message: string, rest: Partial<Diagnostic> = {}): void => {
    diagnostics.push({
      code: 'wrong_plugin',
      message: `The page of the plugin "${plugin}": ${message}`,
      hint: `see ${file}`,
      ...rest,
    })
  }
  let said: Said | undefined
  try {
    said = saidBy(exportedBy(bundle.readable, file), wrong)
  } catch (error) {
    const message = `The page of the plugin "${plugin}" failed while it was read: ${sentenceOf(error)}`
    diagnostics.push({ code: 'plugin_failed', message, hint: `see ${file}; the top of a page only declares` })
  }
  if (said === undefined) return { diagnostics }
  const { script, style } = bundle
  const value: Addition = Object.freeze({
    plugin,
    version: createHash('sha256').update(`${script}\0${style}`).digest('hex').slice(0, 12),
    script,
    style: style === '' ? undefined : style,
    pages: pagesIn(said.pages, wrong),
    editors: editorsIn(said.editors, wrong),
    blocks: componentsIn('block', said.blocks, wrong),
    views: componentsIn('view', said.views, wrong),
  })
  return diagnostics.length > 0 ? { diagnostics } : { value, diagnostics }
}

type Wrong = (message: string, rest?: Partial<Diagnostic>) => void

/** The default export of a page. It runs without a browser: whatever it imports or asks of one is a value that takes everything. */
function exportedBy(code: string, file: string): unknown {
  const anything: object = new Proxy(() => undefined, {
    get: (target, key) =>
      key === Symbol.toPrimitive
        ? () => ''
        : key === 'prototype'
          ? target.prototype
          : key === 'then'
            ? undefined
            : anything,
    apply: () => anything,
    construct: () => anything,
  })
  const kit = { defineConsole: (given: unknown) => given }
  const shared = new Proxy(kit, { get: (own, key) => (key in own ? Reflect.get(own, key) : anything), has: () => true })
  const module: { exports: { readonly default?: unknown } } = { exports: {} }
  const names = [
    'window',
    'document',
    'navigator',
    'location',
    'localStorage',
    'sessionStorage',
    'fetch',
    'customElements',
  ]
  const browser = Object.fromEntries([...names, 'addEventListener', 'HTMLElement'].map((name) => [name, anything]))
  const context = createContext({
    ...browser,
    console,
    URL,
    URLSearchParams,
    Intl,
    setTimeout,
    module,
    exports: module.exports,
    require: () => shared,
  })
  try {
    runInContext(code, context, { filename: file, timeout: LONGEST_MS })
  } catch (error) {
    // Errors of another context are no errors of this one.
    throw new Error(String((error as { readonly message?: unknown } | null)?.message ?? error))
  }
  return module.exports.default
}

function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value can be drawn: a function, or what React's `memo` and `lazy` give. */
function isComponent(value: unknown): boolean {
  return typeof value === 'function' || isNamed(value)
}

function saidBy(exported: unknown, wrong: Wrong): Said | undefined {
  if (!isNamed(exported)) {
    wrong('it has no default export that adds something', { expected: ['export default defineConsole({ … })'] })
    return undefined
  }
  for (const key of Object.keys(exported))
    if (!(KINDS as readonly string[]).includes(key))
      wrong(`nothing can be added under "${key}"`, { expected: KINDS, ...hintOf(key, KINDS) })
  const said = KINDS.map((kind): [string, Named] => {
    const named = exported[kind] ?? {}
    if (!isNamed(named)) wrong(`"${kind}" is no object`, { expected: ['{ name: … }'] })
    for (const name of Object.keys(named))
      if (!WORD.test(name)) wrong(`"${name}" in "${kind}" is no name`, { expected: ['small letters, digits and _'] })
    return [kind, isNamed(named) ? named : {}]
  })
  return Object.fromEntries(said) as Said
}

const PAGE_KEYS = ['label', 'path', 'icon', 'permission', 'who', 'component']

function pagesIn(pages: Named, wrong: Wrong): readonly AddedPage[] {
  return Object.entries(pages).flatMap(([name, page]): AddedPage[] => {
    const given: Named = isNamed(page) ? page : {}
    for (const key of Object.keys(given))
      if (!PAGE_KEYS.includes(key))
        wrong(`the page "${name}" has no "${key}"`, { expected: PAGE_KEYS, ...hintOf(key, PAGE_KEYS) })
    const { component, icon, label, path, permission, who } = given
    const group = who === 'anyone' || who === 'signed_in' || who === 'explain' ? who : undefined
    if (typeof label !== 'string' || label === '')
      wrong(`the page "${name}" has no label`, { expected: ["label: 'Rota'"] })
    else if (typeof path !== 'string' || !/^\/[a-z][a-z0-9_-]*$/.test(path))
      wrong(`the page "${name}" has no path of one word`, { expected: [`path: '/${name}'`] })
    else if (!isComponent(component)) wrong(`the page "${name}" has no component`, { expected: ['component: Rota'] })
    else if ((typeof permission === 'string') === (group !== undefined))
      wrong(`the page "${name}" does not say who has it`, {
        expected: ["permission: 'rota.view'", "who: 'signed_in'", "who: 'anyone'", "who: 'explain'"],
      })
    else {
      return [
        {
          path: path.slice(1),
          label,
          icon: typeof icon === 'string' ? icon : undefined,
          access: accessOf(group, permission),
        },
      ]
    }
    return []
  })
}

function accessOf(group: 'anyone' | 'signed_in' | 'explain' | undefined, permission: unknown): AddedPage['access'] {
  if (group === 'explain') return group
  return group === undefined ? { kind: 'permission', permission: String(permission) } : { kind: group }
}

function editorsIn(editors: Named, wrong: Wrong): Addition['editors'] {
  const known = FIELD_TYPES.map(({ name }) => name)
  const found = Object.entries(editors).map(([name, given]) => {
    const { cell, editor, types }: Named = isNamed(given) ? given : {}
    const words = Array.isArray(types) ? types.map(String) : []
    if (words.length === 0)
      wrong(`the editor "${name}" does not say for which types it is`, { expected: ["types: ['integer']"] })
    for (const word of words)
      if (!known.includes(word))
        wrong(`the editor "${name}" is for the type "${word}", which there is not`, {
          expected: known,
          ...hintOf(word, known),
        })
    if (!isComponent(editor)) wrong(`the editor "${name}" has no editor`, { expected: ['editor: Stars'] })
    return [name, { types: words, hasCell: isComponent(cell) }] as const
  })
  return new Map(found)
}

function componentsIn(kind: string, named: Named, wrong: Wrong): readonly string[] {
  for (const [name, component] of Object.entries(named))
    if (!isComponent(component)) wrong(`the ${kind} "${name}" is no component`, { expected: [`${name}: Timer`] })
  return Object.keys(named)
}

/** The names that plugins add to the console; of each kind no two plugins have the same. */
export function addedNames(additions: Additions, clashes: Diagnostic[]) {
  const namesOf = (kind: string, pick: (addition: Addition) => Iterable<string>): readonly string[] => {
    const all = [...additions.values()].flatMap((addition) =>
      [...pick(addition)].map((name) => ({ name, plugin: addition.plugin, options: {}, value: name })),
    )
    return [...distinct(kind, all, clashes).keys()]
  }
  namesOf('page', ({ pages }) => pages.map(({ path }) => path))
  namesOf('editor', ({ editors }) => editors.keys())
  for (const { editors, plugin, views } of additions.values()) {
    for (const name of editors.keys())
      if (Object.hasOwn(WIDGETS, name)) clashes.push(clash('editor', name, 'console', plugin))
    for (const name of views)
      if (Object.hasOwn(KEYS_OF_KINDS, name)) clashes.push(clash('view', name, 'console', plugin))
  }
  namesOf('block', ({ blocks }) => blocks)
  const pages = [...additions.values()].flatMap((addition) => addition.pages.map((page) => ({ ...page, ...addition })))
  const permissions = pages.flatMap(({ access, plugin }) =>
    access !== 'explain' && access.kind === 'permission' ? [[access.permission, plugin] as const] : [],
  )
  return { views: namesOf('view', ({ views }) => views), permissions }
}
