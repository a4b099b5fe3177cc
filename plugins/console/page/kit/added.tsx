/** What plugins add to the page: each is loaded when a screen first needs it, and fails alone. */
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { ROOT } from '../client/api.ts'
import { type Addition, addedPages, type Catalog } from '../client/catalog.ts'
import { Fence, Loading } from '../shell/parts.tsx'
import type { BlockProps, CellProps, ConsoleAdded, EditorProps, PageProps, ViewProps } from './define.ts'
import { useCatalog } from './known.ts'

type Kind = 'pages' | 'editors' | 'cells' | 'blocks' | 'views'
type Props = PageProps | EditorProps | CellProps | BlockProps | ViewProps

/** The version of this page: its modules are those that the pages of plugins import. */
const VERSION = import.meta.url.split('/').at(-2) ?? ''
const loaded = new Map<string, Promise<ConsoleAdded>>()
const components = new Map<string, ComponentType<Props>>()

/** The addition that has a name of a kind; undefined: no plugin has. */
function additionWith({ additions = [] }: Catalog, kind: Kind, name: string): Addition | undefined {
  return additions.find((addition) =>
    kind === 'pages'
      ? addedPages({ additions: [addition] }).some(({ path }) => path === name)
      : addition[kind]?.includes(name) === true,
  )
}

function load({ plugin, styled, version }: Addition): Promise<ConsoleAdded> {
  const address = `${ROOT}/console/${version}/${plugin}`
  const known = loaded.get(address)
  if (known !== undefined) return known
  if (styled === true) {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = `${address}.css`
    document.head.append(link)
  }
  const begun = import(`${address}.js?page=${VERSION}`).then(
    (module: { readonly default: ConsoleAdded }) => module.default,
  )
  // The next attempt asks again.
  begun.catch(() => loaded.delete(address))
  loaded.set(address, begun)
  return begun
}

function partOf(added: ConsoleAdded, kind: Kind, name: string): unknown {
  if (kind === 'pages') return Object.values(added.pages ?? {}).find(({ path }) => path === `/${name}`)?.component
  if (kind === 'editors') return added.editors?.[name]?.editor
  return kind === 'cells' ? added.editors?.[name]?.cell : added[kind]?.[name]
}

function componentOf(addition: Addition, kind: Kind, name: string): ComponentType<Props> {
  const key = `${addition.plugin} ${addition.version} ${kind} ${name}`
  const known = components.get(key)
  if (known !== undefined) return known
  const Component = lazy(async () => ({ default: partOf(await load(addition), kind, name) as ComponentType<Props> }))
  components.set(key, Component)
  return Component
}

interface AddedProps {
  readonly kind: Kind
  readonly name: string
  readonly given: Props
  /** What is there where no plugin has it. */
  readonly otherwise?: ReactNode
}

/** A part of a plugin, within a fence that names the plugin. */
export function Added({ given, kind, name, otherwise = null }: AddedProps): ReactNode {
  const addition = additionWith(useCatalog(), kind, name)
  if (addition === undefined) return otherwise
  const Component = componentOf(addition, kind, name)
  const forget = (): void => void components.delete(`${addition.plugin} ${addition.version} ${kind} ${name}`)
  return (
    <Fence key={addition.version} onAgain={forget} plugin={addition.plugin}>
      <Suspense fallback={kind === 'cells' ? null : <Loading />}>
        <Component {...given} />
      </Suspense>
    </Fence>
  )
}

/** Whether a plugin has the name. */
export function isAdded(catalog: Catalog, kind: Kind, name: string | undefined): name is string {
  return name !== undefined && additionWith(catalog, kind, name) !== undefined
}
