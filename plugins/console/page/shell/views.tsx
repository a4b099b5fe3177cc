/** The views of a resource, as links above each of them. */
import { type ReactNode, useEffect, useRef } from 'react'
import type { Catalog, Named } from '../client/catalog.ts'
import { hrefOf, usePlace } from '../client/place.ts'
import { SavedMenu } from '../list/saved.tsx'
import { words } from '../words/words.ts'
import { Link } from './link.tsx'

export function Views({ catalog, named }: { readonly catalog: Catalog; readonly named: Named }): ReactNode {
  const { query } = usePlace()
  const views = Object.entries(named.resource.views ?? {})
  const chosen = query.get('view')
  const all = [{ name: null, label: words().everything }, ...views.map(([name, { label }]) => ({ name, label }))]
  const isSaved = query.has('saved')
  const list = useRef<HTMLUListElement>(null)
  // On a phone the views are one line that scrolls, and the chosen one is not left outside of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when another view is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [chosen])
  const tabs = (
    <nav aria-label={words().views} className="grow">
      <ul className="views" ref={list}>
        {all.map(({ label, name }) => (
          <li key={name ?? ''}>
            <Link
              aria-current={chosen === name && !isSaved ? 'page' : undefined}
              href={hrefOf([named.name], name === null ? {} : { view: name })}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
  return (
    <div className="row">
      {views.length === 0 ? null : tabs}
      <SavedMenu catalog={catalog} named={named} />
    </div>
  )
}
