/**
 * Who looks at the page, and requests to the API as that person: by a cookie that no script can read, or, where there
 * can be none (plain http), by a token that is kept while the tab is open.
 */
const KEY = 'plinth.token'
/** Says in every tab that there is a cookie. */
const COOKIE = 'plinth.cookie'
const api = document.documentElement.dataset.api

/** A refusal: its status, and its sentence for people. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

export function signedIn() {
  return sessionStorage.getItem(KEY) !== null || localStorage.getItem(COOKIE) !== null
}

export function forget() {
  sessionStorage.removeItem(KEY)
  localStorage.removeItem(COOKIE)
}

/** Signs in and keeps the session; throws Refusal. */
export async function signIn(email, password) {
  const login = (session) => ask('/auth/login', { method: 'POST', body: JSON.stringify({ email, password, session }) })
  forget()
  try {
    if (!isSecureContext) throw new Refusal(403, 'No cookie is safe here')
    await login('cookie')
    localStorage.setItem(COOKIE, 'yes')
  } catch (error) {
    if (error.status !== 403) throw error
    const { token } = await login('token')
    sessionStorage.setItem(KEY, token)
  }
}

export async function signOut() {
  await ask('/auth/logout', { method: 'POST', body: '{}' }).catch(() => undefined)
  forget()
}

/** `data` of an answer; throws Refusal with a sentence, also when nobody answers. */
export async function ask(path, options) {
  return (await answer(path, options)).data
}

/** The whole answer; throws as `ask` does. */
export async function answer(path, options = {}) {
  const token = sessionStorage.getItem(KEY)
  const headers = { accept: 'application/json', 'x-plinth': '1', ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
  if (options.body !== undefined) headers['content-type'] = 'application/json'
  let response
  try {
    response = await fetch(api + path, { ...options, headers, signal: options.signal ?? null })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Refusal(0, 'The server does not answer. Is there a connection?')
  }
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body
  throw new Refusal(response.status, sentence(response, body))
}

function sentence(response, body) {
  if (response.status === 429)
    return `Too many requests; please wait ${response.headers.get('retry-after') ?? 60} seconds.`
  if (body.errors) return `${[...new Set(Object.values(body.errors).flat())].join('. ')}.`
  return body.message ?? `The server answered ${response.status}.`
}
