/** Signing in with e-mail and password, as a screen and over a form whose session has ended. */
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { addressOf, ask, Refusal, sentence } from '../client/api.ts'
import { type Catalog, type Json, type OfferedRoute, type RecordData, valueAt } from '../client/catalog.ts'
import { forgetDrafts } from '../client/kept.ts'
import { notify } from '../client/notices.ts'
import { BY_COOKIE, named, session, signedIn, signedOut, useSession } from '../client/session.ts'
import { words } from '../words/words.ts'
import { Box } from './dialog.tsx'
import { WorkFailure } from './parts.tsx'
import { useWork } from './work.ts'

function routeOf({ routes }: Catalog, method: string, end: string): OfferedRoute | undefined {
  return routes.find((route) => route.method === method && route.path.endsWith(end))
}

/** The route that says who is signed in; undefined for those who are not. */
export function meRoute(catalog: Catalog): OfferedRoute | undefined {
  return routeOf(catalog, 'GET', '/auth/me')
}

/** The route that signs people in, when the application has one that takes an e-mail address and a password. */
export function signInRoute(catalog: Catalog): OfferedRoute | undefined {
  const route = routeOf(catalog, 'POST', '/auth/login')
  const properties = route?.input?.properties ?? {}
  return 'email' in properties && 'password' in properties ? route : undefined
}

/** Ends the session, on the server first: a cookie is there until the server has taken it back. */
export async function signOut(catalog: Catalog): Promise<void> {
  const route = routeOf(catalog, 'POST', '/auth/logout')
  try {
    if (route !== undefined) await ask(route.path, { method: 'POST', body: {}, key: 'never' })
  } catch (error) {
    const isOver = error instanceof Refusal && error.status === 401
    if (session().token === BY_COOKIE && !isOver) return notify(sentence(error))
  }
  forgetDrafts()
  signedOut()
}

function nameIn(data: Json): string | undefined {
  const name = valueAt(data as RecordData, 'user.name') ?? valueAt(data as RecordData, 'user.email')
  return name === null ? undefined : String(name)
}

function accountIn(data: Json): string {
  return JSON.stringify(valueAt(data as RecordData, 'user.id'))
}

/** Whether the password was not all that the account must prove. */
function hasMore(data: Json): boolean {
  return valueAt(data as RecordData, 'challenge') !== null
}

/** Leads to the page that asks for everything, and back here afterwards. */
function goOn(): void {
  const here = `${window.location.pathname}${window.location.search}`
  window.location.assign(`${addressOf('/sign-in')}?next=${encodeURIComponent(here)}`)
}

/** Signs in by a cookie where there may be one, and by a token otherwise. */
async function signIn(
  { input, path }: OfferedRoute,
  body: Readonly<Record<string, Json>>,
  signal: AbortSignal,
): Promise<void> {
  const login = (kind: Readonly<Record<string, Json>>) =>
    ask(path, { method: 'POST', body: { ...body, ...kind }, key: 'never', signal })
  const mayKeep = window.isSecureContext && 'session' in (input?.properties ?? {})
  const kept = mayKeep
    ? await login({ session: 'cookie' }).catch((error: unknown) => {
        if (error instanceof Refusal && error.status === 403) return undefined
        throw error
      })
    : undefined
  if (kept !== undefined && hasMore(kept.data)) return goOn()
  if (kept !== undefined) return signedIn(BY_COOKIE, accountIn(kept.data), nameIn(kept.data))
  const { data } = await login({})
  if (hasMore(data)) return goOn()
  signedIn(String(valueAt(data as RecordData, 'token')), accountIn(data), nameIn(data))
}

/** Asks who is signed in, where the session was there before the page. */
export function useName(catalog: Catalog): string | undefined {
  const { name, token } = useSession()
  const path = meRoute(catalog)?.path
  useEffect(() => {
    if (token === undefined || name !== undefined || path === undefined) return
    const stop = new AbortController()
    ask(path, { signal: stop.signal }).then(
      ({ data }) => named(nameIn({ user: data }) ?? ''),
      () => undefined,
    )
    return () => stop.abort()
  }, [token, name, path])
  return name
}

interface LineProps {
  readonly autoComplete: string
  readonly label: string
  readonly onChange: (value: string) => void
  readonly type: 'email' | 'password'
  readonly value: string
}

/** A line that has to be filled in. */
function Line({ label, onChange, ...input }: LineProps): ReactNode {
  return (
    <label className="field">
      <span>{label}</span>
      <input {...input} onChange={(event) => onChange(event.target.value)} required />
    </label>
  )
}

interface SignInProps {
  readonly catalog: Catalog
  readonly route: OfferedRoute
}

/** The form alone. */
export function SignInForm({ catalog, route }: SignInProps): ReactNode {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const work = useWork()
  const forgot = routeOf(catalog, 'GET', '/password/reset')
  const send = (event: FormEvent): void => {
    event.preventDefault()
    work.run((signal) => signIn(route, { email, password }, signal))
  }
  return (
    <form className="form" onSubmit={send}>
      <Line autoComplete="username" label={words().email} onChange={setEmail} type="email" value={email} />
      <Line
        autoComplete="current-password"
        label={words().password}
        onChange={setPassword}
        type="password"
        value={password}
      />
      <WorkFailure work={work} />
      <div className="row">
        <button className="button primary" disabled={work.isBusy} type="submit">
          {words().signIn}
        </button>
        {forgot === undefined ? null : <a href={addressOf(forgot.path)}>{words().forgot}</a>}
      </div>
    </form>
  )
}

/** The screen of an application that shows nothing to people who are not signed in. */
export function SignInScreen({ catalog, route }: SignInProps): ReactNode {
  return (
    <main className="card narrow" id="content" tabIndex={-1}>
      <h1>{catalog.name}</h1>
      <SignInForm catalog={catalog} route={route} />
    </main>
  )
}

/** Over everything else once the session has ended: what lies below stays as it is. */
export function SignInAgain({ catalog, route }: SignInProps): ReactNode {
  const { ended } = useSession()
  if (!ended) return null
  return (
    <Box title={words().signInAgain}>
      <p>{words().signInAgainWhy}</p>
      <SignInForm catalog={catalog} route={route} />
    </Box>
  )
}
