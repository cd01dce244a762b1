// Adds up the levels of four stations, a goroutine each: levels file|buffered
// fmt.Fscan takes a byte a call from a file as such; or there is a bufio.Reader between them.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"
)

const stations = 4

func added(number int, buffered bool) (count, sum int) {
	file, err := os.Open(fmt.Sprintf("station%d.txt", number))
	if err != nil {
		panic(err)
	}
	defer file.Close()
	var from io.Reader = file
	if buffered {
		from = bufio.NewReader(file)
	}
	for {
		var value int
		if _, err := fmt.Fscan(from, &value); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		count++
		sum += value
	}
}

func main() {
	var counts, sums [stations]int
	var all sync.WaitGroup
	for number := range stations {
		all.Add(1)
		go func() {
			defer all.Done()
			counts[number], sums[number] = added(number, os.Args[1] == "buffered")
		}()
	}
	all.Wait()
	for number := range stations {
		fmt.Println(number, counts[number], sums[number])
	}
}
