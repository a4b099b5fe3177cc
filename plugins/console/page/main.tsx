/** The page: reads the catalog of its reader, and draws the screen that the address names. */
import { type ReactNode, StrictMode, useEffect, useRef, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { ask, isAborted, onRefusal, Refusal, read, sentence } from './client/api.ts'
import { type Catalog, type Json, valueAt } from './client/catalog.ts'
import { forgetOldDrafts } from './client/kept.ts'
import { BY_COOKIE, session, signedOut, useSession } from './client/session.ts'
import { Known } from './kit/known.ts'
import { Failed, Fence, Loading } from './shell/parts.tsx'
import { Shell } from './shell/shell.tsx'
import { meRoute, signInRoute } from './shell/sign-in.tsx'
import { words } from './words/words.ts'

/** Whether the catalog is that of people who are not signed in, although there was a cookie, which has ended by now. */
function isOfNobody(catalog: Catalog): boolean {
  return session().token === BY_COOKIE && signInRoute(catalog) !== undefined && meRoute(catalog) === undefined
}

/** The catalog of its reader; the one before stays until the next one is there. */
function useReadCatalog(): {
  readonly catalog: Catalog | undefined
  readonly failure: string | undefined
  again(): void
} {
  const { ended, token } = useSession()
  const [count, setCount] = useState(0)
  const [state, setState] = useState<{ catalog?: Catalog; failure?: string }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: another token or count means another catalog
  useEffect(() => {
    if (ended) return
    const stop = new AbortController()
    read('/catalog.json', stop.signal).then(
      (catalog) => {
        if (isOfNobody(catalog as object as Catalog)) signedOut()
        // The same catalog stays the same value, so that no screen is drawn anew.
        setState(({ catalog: before }) => {
          const isSame = JSON.stringify(before) === JSON.stringify(catalog)
          return { catalog: isSame && before !== undefined ? before : (catalog as object as Catalog) }
        })
      },
      (error) => {
        if (isAborted(error)) return
        // A session that ended before the page was opened has nothing to go on with.
        if (error instanceof Refusal && error.status === 401 && state.catalog === undefined) signedOut()
        else setState((before) => ({ ...before, failure: sentence(error) }))
      },
    )
    return () => stop.abort()
  }, [token, ended, count])
  // The files of the application may have changed since the page was opened.
  useEffect(() => onRefusal(() => setCount((before) => before + 1)), [])
  return { catalog: state.catalog, failure: state.failure, again: () => setCount((before) => before + 1) }
}

/** So often it is asked whether the files of the application are others by now, where somebody edits them. */
const LOOK_MS = 700

function useWatched(again: () => void): void {
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    const { watched } = document.documentElement.dataset
    if (watched === undefined) return
    let known: Json | undefined
    const look = (): void =>
      void ask(watched).then(
        ({ data }) => {
          const version = valueAt(data, 'version')
          if (known !== undefined && known !== version) latest.current()
          known = version
        },
        () => undefined,
      )
    const timer = setInterval(() => document.hidden || look(), LOOK_MS)
    return () => clearInterval(timer)
  }, [])
}

function Page(): ReactNode {
  const { account } = useSession()
  const { again, catalog, failure } = useReadCatalog()
  useWatched(again)
  // What one account has typed is not shown to the next one.
  if (catalog !== undefined)
    return (
      <Known value={catalog}>
        <Shell catalog={catalog} key={account} />
      </Known>
    )
  return (
    <main className="card narrow">
      {failure === undefined ? <Loading /> : <Failed onAgain={again} text={failure} />}
    </main>
  )
}

document.documentElement.lang = words().language
forgetOldDrafts()
const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <I18nProvider locale={words().language}>
        <Fence>
          <Page />
        </Fence>
      </I18nProvider>
    </StrictMode>,
  )
