/** The button of a list that has changed while it is looked at. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import type { Pages } from '../client/pages.ts'
import { countText } from '../format.tsx'
import { words } from '../words/words.ts'

/** What came or changed meanwhile: it waits until its reader asks for it. */
export function Fresh({ pages }: { readonly pages: Pages }): ReactNode {
  const { again, fresh, isStale } = pages
  return (
    <div aria-live="polite" className="fresh">
      {fresh === 0 && !isStale ? null : (
        <Button className="button" onPress={again}>
          {fresh === 0 ? words().readAgain : words().fresh(countText(fresh))}
        </Button>
      )}
    </div>
  )
}
