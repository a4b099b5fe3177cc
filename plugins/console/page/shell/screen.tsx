/** Which screen an address names. */
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect } from 'react'
import type { Catalog, Named } from '../client/catalog.ts'
import { addedPages, menuOf } from '../client/catalog.ts'
import { go, hrefOf, usePlace } from '../client/place.ts'
import { placeNamed, type View, viewNamed } from '../client/screens.ts'
import { CreateScreen, EditScreen } from '../form/screens.tsx'
import { Added, isAdded } from '../kit/added.tsx'
import { ImportScreen, importRoute } from '../list/file.tsx'
import { ListScreen } from '../list/screen.tsx'
import { RecordScreen } from '../record/screen.tsx'
import { words } from '../words/words.ts'
import { Link } from './link.tsx'
import { Loading } from './parts.tsx'
import { useTitle } from './screen-title.ts'

/** What draws a view that is no list. */
export interface ViewProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly view: View
}

/** Kinds of views, each loaded when the first of its kind is opened. */
const KINDS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  board: lazy(() => import('../board/screen.tsx')),
  calendar: lazy(() => import('../calendar/screen.tsx')),
  figures: lazy(() => import('../figures/screen.tsx')),
}

export function Screen({ catalog }: { readonly catalog: Catalog }): ReactNode {
  const { parts, query } = usePlace()
  const [name, id, end] = parts
  const doing = query.get('do')
  if (name === undefined) return <Home catalog={catalog} />
  const resource = Object.hasOwn(catalog.resources, name) ? catalog.resources[name] : undefined
  if (resource === undefined) return <PageScreen catalog={catalog} path={name} />
  const named = { name, resource }
  if (id === undefined) {
    if (doing === 'create') return <CreateScreen catalog={catalog} named={named} />
    const taken = doing === 'import' ? importRoute(named) : undefined
    if (taken !== undefined) return <ImportScreen catalog={catalog} named={named} route={taken} />
    if (resource.list?.own !== true) return <NoScreen />
    const view = viewNamed(named, query.get('view'))
    const Kind = view?.as === undefined ? undefined : KINDS[view.as]
    if (view !== undefined && isAdded(catalog, 'views', view.as))
      return <Added given={{ named, view }} key={query.get('view')} kind="views" name={view.as} />
    if (view === undefined || Kind === undefined) return <ListScreen catalog={catalog} named={named} />
    return (
      <Suspense fallback={<Loading />}>
        <Kind catalog={catalog} named={named} view={view} />
      </Suspense>
    )
  }
  if (end !== undefined) return <Below catalog={catalog} doing={doing} end={end} id={id} parent={named} />
  return doing === 'edit' ? (
    <EditScreen catalog={catalog} id={id} named={named} />
  ) : (
    <RecordScreen catalog={catalog} id={id} named={named} />
  )
}

/** A page of a plugin. */
function PageScreen({ catalog, path }: { readonly catalog: Catalog; readonly path: string }): ReactNode {
  const { parts, query } = usePlace()
  const page = addedPages(catalog).find((one) => one.path === path)
  useTitle(page?.label ?? catalog.name, catalog.name)
  if (page === undefined) return <NoScreen />
  return <Added given={{ parts: parts.slice(1), query }} kind="pages" name={path} />
}

interface BelowProps {
  readonly catalog: Catalog
  readonly parent: Named
  readonly id: string
  readonly end: string
  readonly doing: string | null
}

/** A list below a record, or the form that creates a record there. */
function Below({ catalog, doing, end, id, parent }: BelowProps): ReactNode {
  const below = Object.hasOwn(parent.resource.below, end) ? parent.resource.below[end] : undefined
  const resource = below === undefined ? undefined : catalog.resources[below.to]
  if (below === undefined || resource === undefined) return <NoScreen />
  const named = { name: below.to, resource }
  const within = { parent, id, end, relation: below.relation, actions: below.actions }
  return doing === 'create' ? (
    <CreateScreen catalog={catalog} named={named} within={within} />
  ) : (
    <ListScreen catalog={catalog} named={named} within={within} />
  )
}

/** The first screen that app.yaml names for the role of the reader, or an overview. */
function Home({ catalog }: { readonly catalog: Catalog }): ReactNode {
  useTitle(catalog.name, catalog.name)
  const home = catalog.console?.home ?? ''
  const first = placeNamed(catalog, home)
  const ofList = first && hrefOf([first.named.name], first.view === undefined ? {} : { view: first.view.name })
  const address = addedPages(catalog).some(({ path }) => path === home) ? hrefOf([home]) : ofList
  useEffect(() => {
    if (address !== undefined) go(address, { replace: true })
  }, [address])
  if (address !== undefined) return null
  return (
    <>
      <h1>{catalog.name}</h1>
      {catalog.description === undefined ? null : <p className="soft">{catalog.description}</p>}
      <ul className="tiles">
        {menuOf(catalog).map(({ name, resource }) => (
          <li className="card" key={name}>
            <h2>
              <Link href={hrefOf([name])}>{resource.label.many}</Link>
            </h2>
            {resource.description === undefined ? null : <p className="soft">{resource.description}</p>}
          </li>
        ))}
      </ul>
    </>
  )
}

function NoScreen(): ReactNode {
  return (
    <div className="failed">
      <p>{words().noScreen}</p>
      <Link href={hrefOf([])}>{words().home}</Link>
    </div>
  )
}
