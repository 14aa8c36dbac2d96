package llm

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// seatedEmbedder is an embedder at a seat.
type seatedEmbedder struct {
	seat     *Seat
	name     string
	embedder Embedder // nil: offline, and no key for it
}

func (m *seatedEmbedder) Name() string { return m.name }

func (m *seatedEmbedder) Embed(ctx context.Context, texts []string) (*Vectors, error) {
	if len(texts) == 0 {
		return &Vectors{}, nil
	}
	input := 0
	for _, t := range texts {
		input += Tokens(t)
	}
	var out *Vectors
	e := &errand{
		name: m.name, role: Embed, kind: "embed", asks: texts,
		input: input,
		bound: func(int) {},
		again: func() {},
		call: func(ctx context.Context) (u Usage, err error) {
			if out, err = m.embedder.Embed(ctx, texts); err != nil {
				return Usage{}, err
			}
			if out == nil || len(out.Vectors) != len(texts) {
				e := &Error{Trouble: Garbled, Model: m.name, Text: "not one vector for each text"}
				if out != nil {
					e.Usage = out.Usage
				}
				return Usage{}, e
			}
			return out.Usage, nil
		},
		heard:  func() int { return 0 },
		encode: func() (json.RawMessage, error) { return json.Marshal(pack(out)) },
		decode: func(b json.RawMessage) (err error) {
			out, err = unpack(b, len(texts))
			return err
		},
	}
	if err := m.seat.run(ctx, e); err != nil {
		return nil, err
	}
	return out, nil
}

// packed is how vectors are recorded: float32, little-endian, base64. As JSON numbers they would be three times as long.
type packed struct {
	Vectors []string `json:"vectors"`
	Usage   Usage    `json:"usage"`
}

func pack(v *Vectors) packed {
	p := packed{Usage: v.Usage, Vectors: make([]string, len(v.Vectors))}
	for i, vector := range v.Vectors {
		b := make([]byte, 0, 4*len(vector))
		for _, x := range vector {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		p.Vectors[i] = base64.StdEncoding.EncodeToString(b)
	}
	return p
}

func unpack(text json.RawMessage, want int) (*Vectors, error) {
	var p packed
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if len(p.Vectors) != want {
		return nil, fmt.Errorf("%d vectors for %d texts", len(p.Vectors), want)
	}
	v := &Vectors{Usage: p.Usage, Vectors: make([][]float32, len(p.Vectors))}
	for i, s := range p.Vectors {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return nil, err
		}
		if len(b)%4 != 0 {
			return nil, errors.New("a vector ends within a number")
		}
		v.Vectors[i] = make([]float32, len(b)/4)
		for j := range v.Vectors[i] {
			v.Vectors[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*j:]))
		}
	}
	return v, nil
}
