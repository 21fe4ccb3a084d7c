/** The address of every vendor in the sandbox. It never resolves (RFC 2606), and nothing connects to it. */
export const SANDBOX_URL = 'https://sandbox.test';
