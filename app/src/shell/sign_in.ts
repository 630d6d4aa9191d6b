// Signing in again without leaving the page. The form is that of the sign-in page: there is one way in.
export type Outcome = 'in' | 'wrong' | 'tooMany' | 'noAnswer'

export async function signIn(email: string, password: string): Promise<Outcome> {
	try {
		const answer = await fetch('/sign-in', {
			method: 'POST', body: new URLSearchParams({ email, password }), redirect: 'manual', credentials: 'same-origin',
		})
		if (answer.type === 'opaqueredirect') return 'in' // the page leads on
		if (answer.status === 429) return 'tooMany'
		return answer.status < 500 ? 'wrong' : 'noAnswer'
	} catch {
		return 'noAnswer'
	}
}
