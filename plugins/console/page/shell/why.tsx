/** A way to the reason of a refusal, for those who may ask it: the page of a plugin answers. */
import type { ReactNode } from 'react'
import { refusedWith } from '../client/api.ts'
import { addedPages } from '../client/catalog.ts'
import { hrefOf } from '../client/place.ts'
import { useCatalog } from '../kit/known.ts'
import { words } from '../words/words.ts'
import { Link } from './link.tsx'

/** The page at /console/schema has a part that says why. */
const PAGE = 'schema'

/** "Why?" next to a sentence by which a rule refused a request; nothing for others, and for readers without the page. */
export function Why({ text }: { readonly text: string }): ReactNode {
  const catalog = useCatalog()
  const request = refusedWith(text)
  if (request === undefined || !addedPages(catalog).some(({ path }) => path === PAGE)) return null
  const [path = ''] = request.path.split('?')
  return (
    <Link className="button" href={hrefOf([PAGE, 'why'], { path, method: request.method })}>
      {words().why}
    </Link>
  )
}
