/** The head of every view: its name, the way to a new record, and the other views. */
import type { ReactNode } from 'react'
import type { Catalog, Named } from '../client/catalog.ts'
import { go, hrefOf } from '../client/place.ts'
import { useSavedView } from '../list/saved.tsx'
import { words } from '../words/words.ts'
import { useKey } from './keys.tsx'
import { Link } from './link.tsx'
import { Views } from './views.tsx'

interface HeadProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly title: string
  readonly children?: ReactNode
}

export function ViewHead({ catalog, children, named, title }: HeadProps): ReactNode {
  const { label, actions } = named.resource
  const href = hrefOf([named.name], { do: 'create' })
  const saved = useSavedView(catalog)
  const mayCreate = actions.includes('create')
  useKey('c', mayCreate ? () => go(href) : undefined)
  return (
    <>
      <div className="row head">
        <h1>{saved === undefined ? title : String(saved.name)}</h1>
        {children}
        {mayCreate ? (
          <Link className="button primary" href={href}>
            {words().create(label.one)}
          </Link>
        ) : null}
      </div>
      <Views catalog={catalog} named={named} />
    </>
  )
}
